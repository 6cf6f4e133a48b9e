import type { Catalog } from '../catalog.ts'
import { type Haystack, HaystackBuilder } from './haystack.ts'

/** The value of a property; null where an entry lacks it. */
export type FilterValue = string | number | null

/** What a list is narrowed to: undefined narrows nothing, null asks for the entries without the property. */
export type Where<Filter extends string> = Readonly<Partial<Record<Filter, FilterValue | undefined>>>

export type Item = Readonly<Record<string, unknown>>

interface FilterIndex {
  /** The value of each entry, by position. */
  values: readonly FilterValue[]
  /** Positions of the entries with a value, in order. */
  positions: ReadonlyMap<FilterValue, readonly number[]>
}

/**
 * One version of a catalog in memory, never changed once built: its entries as public JSON texts in the order of
 * its lists. An answer joins texts; nothing is serialised for a request.
 */
export class Contents<Filter extends string = string> {
  readonly size: number
  readonly #texts: readonly string[]
  readonly #positions: ReadonlyMap<string, number>
  readonly #filters: Readonly<Record<string, FilterIndex>>
  readonly #haystack: Haystack

  constructor(
    texts: readonly string[],
    positions: ReadonlyMap<string, number>,
    filters: Readonly<Record<string, FilterIndex>>,
    haystack: Haystack,
  ) {
    this.size = texts.length
    this.#texts = texts
    this.#positions = positions
    this.#filters = filters
    this.#haystack = haystack
  }

  /** The JSON of the entry with this key. */
  find(key: string): string | undefined {
    const position = this.#positions.get(key)
    return position === undefined ? undefined : this.#texts[position]
  }

  /** The JSON of `limit` entries at most, `offset` ones skipped, of those that every filter and the search admit. */
  list(where: Where<Filter>, search: string | undefined, offset: number, limit: number): string[] {
    const conditions = Object.entries<FilterValue | undefined>(where).flatMap(([property, value]) => {
      const index = this.#filters[property]
      return index === undefined || value === undefined ? [] : [{ index, value }]
    })
    if (!search && conditions.length === 0) return this.#texts.slice(offset, offset + limit)

    const [first, ...others] = conditions
    const narrowed = first?.index.positions.get(first.value) ?? []
    if (!search && others.length === 0) return narrowed.slice(offset, offset + limit).map((at) => this.#texts[at] ?? '')

    const candidates = search ? this.#haystack.positionsOf(search) : narrowed
    const unchecked = search ? conditions : others
    const found: string[] = []
    let skipped = 0
    for (const at of candidates) {
      if (!unchecked.every(({ index, value }) => index.values[at] === value)) continue
      if (skipped < offset) {
        skipped += 1
        continue
      }
      found.push(this.#texts[at] ?? '')
      if (found.length === limit) break
    }
    return found
  }
}

/** Takes the entries of a catalog in the order of its lists. */
export class ContentsBuilder<Filter extends string> {
  readonly #catalog: Catalog<Filter>
  readonly #texts: string[] = []
  readonly #positions = new Map<string, number>()
  readonly #values: Record<string, FilterValue[]>
  readonly #haystack = new HaystackBuilder()

  constructor(catalog: Catalog<Filter>) {
    this.#catalog = catalog
    this.#values = Object.fromEntries(catalog.filters.map((property) => [property, []]))
  }

  add(item: Item): void {
    const { key, filters, searched } = this.#catalog
    this.#positions.set(String(item[key]), this.#texts.length)
    this.#texts.push(JSON.stringify(item))
    for (const property of filters) this.#values[property]?.push((item[property] as FilterValue | undefined) ?? null)
    if (searched.length > 0) this.#haystack.add(searched.flatMap((property) => textsOf(item[property])))
  }

  build(): Contents<Filter> {
    const filters = Object.entries(this.#values).map(([property, values]) => [property, indexOf(values)])
    return new Contents(this.#texts, this.#positions, Object.fromEntries(filters), this.#haystack.build())
  }
}

function indexOf(values: readonly FilterValue[]): FilterIndex {
  const positions = new Map<FilterValue, number[]>()
  for (const [position, value] of values.entries()) {
    const same = positions.get(value)
    if (same) same.push(position)
    else positions.set(value, [position])
  }
  return { values, positions }
}

const textsOf = (value: unknown): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)]
