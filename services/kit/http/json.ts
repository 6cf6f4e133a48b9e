/** JSON that is text already (a document made on write, a page out of memory): sent byte for byte. */
export class JsonText {
  readonly text: string
  #tag: string | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Made once, however often the text is sent. */
  get tag(): string {
    this.#tag ??= entityTag(this.text)
    return this.#tag
  }
}

/** A strong entity tag: two answers with the same bytes, and only those, share it. */
export const entityTag = (text: string) => `"${Bun.hash(text).toString(36)}"`

/** An answer that is not JSON, or that carries headers of its own. */
export class Raw {
  readonly body: string | Uint8Array | Blob | null
  readonly mediaType: string
  readonly headers: Record<string, string>
  /** Other than the operation's own: part of a file, or where else it is. */
  readonly status: number | undefined

  constructor(
    body: string | Uint8Array | Blob | null,
    mediaType: string,
    headers: Record<string, string> = {},
    status?: number,
  ) {
    this.body = body
    this.mediaType = mediaType
    this.headers = headers
    this.status = status
  }
}
