import { found } from '../errors/refusal.ts'

/** JSON that is text already, such as a stored document or a cached page. It is sent byte for byte. */
export class JsonText {
  readonly text: string
  #tag: string | undefined

  constructor(text: string, tag?: string) {
    this.text = text
    this.#tag = tag
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

/** The answer to a get: the document of the row, or 404. */
export const documentOf = (rows: readonly { document: string }[]) => new JsonText(found(rows).document)

/** The answer to a batch get: the documents that were found, in the order of the ids, each once. */
export function batchOf(ids: readonly string[], rows: readonly { id: string; document: string }[]): JsonText {
  const byId = new Map(rows.map(({ id, document }) => [id, document]))
  return new JsonText(`{"items":[${[...new Set(ids)].flatMap((id) => byId.get(id) ?? []).join(',')}]}`)
}

/**
 * A stored document with fields that are computed for the reader, such as a signed URL. `If-Match` compares the part of
 * its entity tag that comes from the document; `If-None-Match` compares all of it.
 */
export function extendedDocument(document: string, fields: Readonly<Record<string, unknown>>): JsonText {
  const text = withFields(document, fields)
  if (text === document) return new JsonText(document)
  return new JsonText(text, `${entityTag(document).slice(0, -1)}.${shortHashOf(text)}"`)
}

/** A JSON object with further fields at its end; undefined ones are omitted. */
export function withFields(document: string, fields: Readonly<Record<string, unknown>>): string {
  const added = JSON.stringify(fields).slice(1, -1)
  return added === '' ? document : `${document.slice(0, -1)},${added}}`
}

/** The tag of the stored document in the tag of an extended one. */
export const documentTagOf = (tag: string) => tag.replace(/\.[0-9a-z]+"$/, '"')

const shortHashOf = (text: string) => Bun.hash(text).toString(36)

/** A strong entity tag: equal for equal bytes. */
export const entityTag = (text: string) => `"${shortHashOf(text)}"`
