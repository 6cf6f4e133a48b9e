import { fold } from '../../kit/db/fold.ts'
import { ByteWriter } from './byte-writer.ts'

/** Between two texts. No search holds it: neither a request nor a column of Postgres can. */
const BOUNDARY = '\0'

/**
 * The searched texts of all entries, folded, as one run of bytes. A search is one scan of it at the speed of memory:
 * over 160,000 entries of 190 bytes 2 ms, where asking each entry by itself would take 40.
 */
export class SubstringIndex {
  readonly #bytes: Buffer<ArrayBuffer>
  /** Where the texts of each entry start; one more at the end. */
  readonly #starts: Uint32Array

  constructor(bytes: Buffer<ArrayBuffer>, starts: Uint32Array) {
    this.#bytes = bytes
    this.#starts = starts
  }

  release(): void {
    this.#bytes.buffer.transfer(0)
  }

  /** Whether the entry at a position has the needle in one of its texts. */
  has(needle: Buffer, position: number): boolean {
    return this.#bytes.subarray(this.#starts[position], this.#starts[position + 1]).includes(needle)
  }

  /** The first entry from a position on that has the needle in one of its texts; undefined when there is none. */
  next(needle: Buffer, position: number): number | undefined {
    const hit = this.#bytes.indexOf(needle, this.#starts[position])
    if (hit === -1) return undefined
    let found = position
    while ((this.#starts[found + 1] ?? Number.POSITIVE_INFINITY) <= hit) found += 1
    return found
  }
}

/** What to look for: the search as the index spells it; undefined for one that no text can hold. */
export const needleOf = (search: string): Buffer | undefined =>
  search.includes(BOUNDARY) ? undefined : Buffer.from(fold(search))

/** Takes the texts of entry after entry. */
export class SubstringIndexBuilder {
  readonly #bytes = new ByteWriter()
  readonly #starts: number[] = []

  add(texts: readonly string[]): void {
    this.#starts.push(this.#bytes.length)
    this.#bytes.write(fold(texts.join(BOUNDARY)))
    this.#bytes.write(BOUNDARY)
  }

  build(): SubstringIndex {
    this.#starts.push(this.#bytes.length)
    return new SubstringIndex(this.#bytes.finish(), Uint32Array.from(this.#starts))
  }
}
