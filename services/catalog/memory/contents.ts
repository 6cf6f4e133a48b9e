import type { Catalog } from '../catalog.ts'
import { ByteWriter } from './byte-writer.ts'
import type { Item } from './rows.ts'
import { needleOf, type SubstringIndex, SubstringIndexBuilder } from './substring-index.ts'

/** The value of a property; null if the entry lacks it. */
type FilterValue = string | number | null

/** The value of a filter: undefined is no filter, null selects entries without the property. */
export type Where<Filter extends string> = Readonly<Partial<Record<Filter, FilterValue | undefined>>>

/** The window of a list. */
interface Window {
  offset: number
  limit: number
}

/** Positions of entries by the value of one property, in order. */
type FilterIndex = ReadonlyMap<FilterValue, Uint32Array>

/** Up to this number candidates are searched one by one; above, a scan of all texts is faster. */
const FEW_CANDIDATES = 1000

/**
 * One immutable version of a catalog in memory: the public JSON of its entries as bytes, in list order and separated by
 * commas. A page of the unfiltered list is one slice, so requests serialize nothing.
 */
export class Contents<Filter extends string = string> {
  readonly size: number
  readonly #json: Buffer<ArrayBuffer>
  /** Start of each entry, with one more element for the end. */
  readonly #starts: Uint32Array
  readonly #positions: ReadonlyMap<string, number>
  readonly #filters: Readonly<Record<string, FilterIndex>>
  readonly #index: SubstringIndex

  constructor(parts: {
    json: Buffer<ArrayBuffer>
    starts: Uint32Array
    positions: ReadonlyMap<string, number>
    filters: Readonly<Record<string, FilterIndex>>
    index: SubstringIndex
  }) {
    this.size = parts.positions.size
    this.#json = parts.json
    this.#starts = parts.starts
    this.#positions = parts.positions
    this.#filters = parts.filters
    this.#index = parts.index
  }

  /** The JSON of an entry. */
  find(key: string): string | undefined {
    const position = this.#positions.get(key)
    return position === undefined ? undefined : this.#textOf(position, position + 1)
  }

  /** The JSON of the entries in the window that match all filters and the search, separated by commas. */
  list(where: Where<Filter>, search: string | undefined, window: Window): { text: string; hasMore: boolean } {
    const candidates = this.#candidates(where)
    if (search) return this.#texts(this.#matching(search, candidates, window), window.limit)
    if (candidates) {
      return this.#texts(candidates.subarray(window.offset, window.offset + window.limit + 1), window.limit)
    }
    const from = Math.min(window.offset, this.size)
    const to = Math.min(from + window.limit, this.size)
    return { text: this.#textOf(from, to), hasMore: to < this.size }
  }

  /** Releases the memory immediately instead of at garbage collection. The contents must not be read afterwards. */
  release(): void {
    this.#json.buffer.transfer(0)
    this.#index.release()
  }

  /** Positions that match all filters, in order; undefined without filters. */
  #candidates(where: Where<Filter>): Uint32Array | undefined {
    let matching: Uint32Array | undefined
    for (const [property, value] of Object.entries<FilterValue | undefined>(where)) {
      if (value === undefined) continue
      const positions = this.#filters[property]?.get(value) ?? new Uint32Array()
      matching = matching === undefined ? positions : matching.filter((position) => includes(positions, position))
    }
    return matching
  }

  /** Positions of the window and one more, which shows whether a next page exists. */
  #matching(search: string, candidates: Uint32Array | undefined, { offset, limit }: Window): number[] {
    const needle = needleOf(search)
    const found: number[] = []
    if (needle === undefined) return found
    let skipped = 0
    /** False if the window is full. */
    const take = (position: number): boolean => {
      if (skipped < offset) skipped += 1
      else found.push(position)
      return found.length <= limit
    }
    if (candidates && candidates.length <= FEW_CANDIDATES) {
      for (const position of candidates) if (this.#index.has(needle, position) && !take(position)) break
      return found
    }
    let hit = this.#index.next(needle, 0)
    while (hit !== undefined) {
      if ((candidates === undefined || includes(candidates, hit)) && !take(hit)) break
      hit = this.#index.next(needle, hit + 1)
    }
    return found
  }

  #texts(positions: ArrayLike<number>, limit: number): { text: string; hasMore: boolean } {
    const texts: string[] = []
    for (let index = 0; index < Math.min(positions.length, limit); index += 1) {
      const position = positions[index] ?? 0
      texts.push(this.#textOf(position, position + 1))
    }
    return { text: texts.join(','), hasMore: positions.length > limit }
  }

  /** The JSON of consecutive entries, without the trailing comma. */
  #textOf(from: number, to: number): string {
    return from >= to ? '' : this.#json.toString('utf8', this.#starts[from], (this.#starts[to] ?? 0) - 1)
  }
}

/** Whether a sorted list contains a number. */
function includes(sorted: Uint32Array, wanted: number): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return sorted[low] === wanted
}

/** Builds contents from entries in list order. */
export class ContentsBuilder<Filter extends string> {
  readonly #catalog: Catalog<Filter>
  readonly #json = new ByteWriter()
  readonly #starts: number[] = []
  readonly #positions = new Map<string, number>()
  readonly #filters: Record<string, Map<FilterValue, number[]>>
  readonly #index = new SubstringIndexBuilder()

  constructor(catalog: Catalog<Filter>) {
    this.#catalog = catalog
    this.#filters = Object.fromEntries(catalog.filters.map((property) => [property, new Map()]))
  }

  add(item: Item): void {
    const { key, filters, searched } = this.#catalog
    const position = this.#starts.length
    this.#positions.set(String(item[key]), position)
    this.#starts.push(this.#json.length)
    this.#json.write(JSON.stringify(item))
    this.#json.write(',')
    for (const property of filters) {
      const value = (item[property] as FilterValue | undefined) ?? null
      const same = this.#filters[property]?.get(value)
      if (same) same.push(position)
      else this.#filters[property]?.set(value, [position])
    }
    if (searched.length > 0) this.#index.add(textsOf(item, searched))
  }

  build(): Contents<Filter> {
    const filters = Object.entries(this.#filters).map(([property, index]) => {
      const packed = [...index].map(([value, positions]) => [value, Uint32Array.from(positions)] as const)
      return [property, new Map(packed)] as const
    })
    return new Contents({
      json: this.#json.finish(),
      starts: Uint32Array.from([...this.#starts, this.#json.length]),
      positions: this.#positions,
      filters: Object.fromEntries(filters),
      index: this.#index.build(),
    })
  }
}

function textsOf(item: Item, properties: readonly string[]): string[] {
  const texts: string[] = []
  for (const property of properties) {
    const value = item[property]
    if (typeof value === 'string') texts.push(value)
    else if (Array.isArray(value)) texts.push(...value)
  }
  return texts
}
