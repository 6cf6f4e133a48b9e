import type { CatalogName } from '../catalog.ts'

/** Why an import changes nothing: one thing that is wrong, with its line where a line of the file is to blame. */
export interface Problem {
  catalog: CatalogName
  line?: number
  reason: string
}

/** More would scroll away; the count tells how many there are. */
export const MAX_LISTED = 50

/** Collects what is wrong: all of it is counted, the first of it listed. */
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

  /** Adds those that were read, of `total` that there are. */
  addSome(problems: readonly Problem[], total: number): void {
    for (const problem of problems) this.add(problem)
    this.#count += total - problems.length
  }
}
