export type RawBody = string | Uint8Array | Blob | null

/** A response body that is not JSON, or that has headers of its own. */
export class Raw {
  readonly body: RawBody
  readonly mediaType: string
  readonly headers: Record<string, string>
  /** A status other than that of the operation, such as 206 or 302. */
  readonly status: number | undefined

  constructor(body: RawBody, mediaType: string, headers: Record<string, string> = {}, status?: number) {
    this.body = body
    this.mediaType = mediaType
    this.headers = headers
    this.status = status
  }
}

export const CSV = 'text/csv; charset=utf-8'

/** A CSV file, which browsers save. */
export const csvFile = (name: string, text: string) =>
  new Raw(text, CSV, { 'content-disposition': `attachment; filename="${name}"` })
