/** JSON that is text already, such as a stored document or a cached page. It is sent byte for byte. */
export class JsonText {
  readonly text: string
  #tag: string | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The strong entity tag, computed once for a text that is sent many times. */
  get tag(): string {
    this.#tag ??= entityTag(this.text)
    return this.#tag
  }
}

/** A page of a paged list. */
export class PageText extends JsonText {
  readonly hasMore: boolean

  /** The items are JSON, separated by commas. */
  constructor(items: string, hasMore: boolean) {
    super(`{"items":[${items}],"hasMore":${hasMore}}`)
    this.hasMore = hasMore
  }
}

/** The answer to a batch get: the documents that were found, in the order of the ids, each once. */
export function batchOf(ids: readonly string[], rows: readonly { id: string; document: string }[]): JsonText {
  const byId = new Map(rows.map(({ id, document }) => [id, document]))
  return new JsonText(`{"items":[${[...new Set(ids)].flatMap((id) => byId.get(id) ?? []).join(',')}]}`)
}

/** A strong entity tag: equal for equal bytes. */
export const entityTag = (text: string) => `"${Bun.hash(text).toString(36)}"`
