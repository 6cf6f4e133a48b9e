import { fold } from '../../kit/db/fold.ts'
import { ByteWriter } from './byte-writer.ts'

/** Separator of texts. No search contains it, because requests and columns cannot contain NUL. */
const BOUNDARY = '\0'

/**
 * The case-folded texts of all entries in one buffer. A search is one scan: 2 ms for 160,000 entries of 190 bytes,
 * where searching each entry alone would take 40.
 */
export class SubstringIndex {
  readonly #bytes: Buffer<ArrayBuffer>
  /** Start of each entry's texts, with one more element for the end. */
  readonly #starts: Uint32Array

  constructor(bytes: Buffer<ArrayBuffer>, starts: Uint32Array) {
    this.#bytes = bytes
    this.#starts = starts
  }

  release(): void {
    this.#bytes.buffer.transfer(0)
  }

  /** Whether a text of the entry at a position contains the needle. */
  has(needle: Buffer, position: number): boolean {
    return this.#bytes.subarray(this.#starts[position], this.#starts[position + 1]).includes(needle)
  }

  /** The first entry from a position on with a text that contains the needle. */
  next(needle: Buffer, position: number): number | undefined {
    const hit = this.#bytes.indexOf(needle, this.#starts[position])
    if (hit === -1) return undefined
    let found = position
    while ((this.#starts[found + 1] ?? Number.POSITIVE_INFINITY) <= hit) found += 1
    return found
  }
}

/** The needle of a search, folded like the index; undefined for a search that no text can contain. */
export const needleOf = (search: string): Buffer | undefined =>
  search.includes(BOUNDARY) ? undefined : Buffer.from(fold(search))

/** Builds an index from the texts of each entry. */
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
