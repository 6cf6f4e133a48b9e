import type { CatalogName } from '../catalog.ts'

/** One problem of an import, with the line of the file where there is one. */
interface Problem {
  catalog: CatalogName
  line?: number
  reason: string
}

/** Maximum problems that are listed; the others are counted. */
export const MAX_LISTED = 50

/** Collects problems: all are counted, the first ones listed. */
export class Problems {
  readonly #listed: Problem[] = []
  #count = 0

  get count(): number {
    return this.#count
  }

  get listed(): readonly Problem[] {
    return this.#listed
  }

  add(problem: Problem): void {
    this.#count += 1
    if (this.#listed.length < MAX_LISTED) this.#listed.push(problem)
  }

  /** Adds a page of `total` problems. */
  addSome(problems: readonly Problem[], total: number): void {
    for (const problem of problems) this.add(problem)
    this.#count += total - problems.length
  }
}
