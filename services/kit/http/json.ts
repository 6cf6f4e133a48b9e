/** JSON that is text already (a document made on write, a page out of memory): sent byte for byte. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An answer that is not JSON, or that carries headers of its own. */
export class Raw {
  readonly body: string | Uint8Array | Blob
  readonly mediaType: string
  readonly headers: Record<string, string>

  constructor(body: string | Uint8Array | Blob, mediaType: string, headers: Record<string, string> = {}) {
    this.body = body
    this.mediaType = mediaType
    this.headers = headers
  }
}
