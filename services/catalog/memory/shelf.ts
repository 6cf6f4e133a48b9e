import type { PageQuery } from '../../../proto/http/shapes.ts'
import { JsonText } from '../../kit/http/json.ts'
import { pageOfTexts, windowOf } from '../../kit/http/pages.ts'
import { notFound } from '../../kit/http/refusal.ts'
import type { Catalog } from '../catalog.ts'
import { type Contents, ContentsBuilder, type Where } from './contents.ts'

/** Where the routes of one catalog read: its current contents, replaced as a whole when the catalog is loaded anew. */
export class Shelf<Filter extends string = string> {
  #contents: Contents<Filter>

  constructor(catalog: Catalog<Filter>) {
    this.#contents = new ContentsBuilder(catalog).build()
  }

  get size(): number {
    return this.#contents.size
  }

  /** A reader has the old contents or the new ones, whenever this comes. */
  replace(contents: Contents<Filter>): void {
    this.#contents = contents
  }

  /** A page of a list. */
  page(query: PageQuery, where: Where<Filter>, search?: string): JsonText {
    const { offset, limit } = windowOf(query)
    return pageOfTexts(this.#contents.list(where, search, offset, limit), query)
  }

  /** A list as a whole. */
  all(where: Where<Filter>): JsonText {
    return itemsOfTexts(this.#contents.list(where, undefined, 0, this.#contents.size))
  }

  /** One entry by its id or code. */
  one(key: string): JsonText {
    const text = this.#contents.find(key)
    if (text === undefined) throw notFound()
    return new JsonText(text)
  }

  /** Entries in the order asked for, repeated ones once, unknown ones left out. */
  batch(keys: readonly string[]): JsonText {
    return itemsOfTexts([...new Set(keys)].flatMap((key) => this.#contents.find(key) ?? []))
  }
}

const itemsOfTexts = (texts: readonly string[]): JsonText => new JsonText(`{"items":[${texts.join(',')}]}`)
