import { LRUCache } from 'lru-cache'
import type { PageQuery } from '../../../proto/http/shapes.ts'
import { JsonText, PageText } from '../../kit/db/json-text.ts'
import { notFound } from '../../kit/errors/refusal.ts'
import type { Catalog } from '../catalog.ts'
import { type Contents, ContentsBuilder, type Where } from './contents.ts'

/** Responses are cached, because clients repeat requests and a scan of the UNSPSC costs more than a request. */
const MAX_CACHED_RESPONSES = 1024
const MAX_CACHED_CHARACTERS = 4 * 1024 * 1024

/** The current contents of one catalog, replaced as a whole by each load. */
export class CatalogStore<Filter extends string = string> {
  #contents: Contents<Filter>
  readonly #cache = new LRUCache<string, JsonText>({
    max: MAX_CACHED_RESPONSES,
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ text }, key) => key.length + text.length,
  })

  constructor(catalog: Catalog<Filter>) {
    this.#contents = new ContentsBuilder(catalog).build()
  }

  get size(): number {
    return this.#contents.size
  }

  /** Replaces the contents. Reads are synchronous, so each sees the old or the new contents. */
  replace(contents: Contents<Filter>): void {
    const before = this.#contents
    this.#contents = contents
    this.#cache.clear()
    before.release()
  }

  /** A page of a list. */
  page(query: PageQuery, where: Where<Filter>, search?: string): JsonText {
    return this.#cached(JSON.stringify([search, query.page, query.pageSize, where]), () =>
      this.#read(query, where, search),
    )
  }

  #read({ page, pageSize }: PageQuery, where: Where<Filter>, search?: string): JsonText {
    const window = { offset: (page - 1) * pageSize, limit: pageSize }
    const { text, hasMore } = this.#contents.list(where, search, window)
    return new PageText(text, hasMore)
  }

  /** A whole list. */
  all(where: Where<Filter>): JsonText {
    const { text } = this.#contents.list(where, undefined, { offset: 0, limit: this.#contents.size })
    return new JsonText(`{"items":[${text}]}`)
  }

  /** One entry by id or code. */
  one(key: string): JsonText {
    return this.#cached(key, () => {
      const text = this.#contents.find(key)
      if (text === undefined) throw notFound()
      return new JsonText(text)
    })
  }

  /** Entries in the requested order, duplicates once, unknown ones omitted. */
  batch(keys: readonly string[]): JsonText {
    return this.#cached(JSON.stringify(keys), () => {
      const texts = [...new Set(keys)].flatMap((key) => this.#contents.find(key) ?? [])
      return new JsonText(`{"items":[${texts.join(',')}]}`)
    })
  }

  /** Ids, lists of texts (of batches) and lists with numbers (of pages) are never equal as keys. */
  #cached(key: string, make: () => JsonText): JsonText {
    const cached = this.#cache.get(key)
    if (cached) return cached
    const made = make()
    this.#cache.set(key, made)
    return made
  }
}
