import { type BodyLimit, readBytes, refuseUnstorableText, textOf } from './body.ts'

/** RFC 4180 defines `charset` and `header`. */
const CSV_MEDIA_TYPE = /^text\/csv\s*(;\s*(charset\s*=\s*"?utf-8"?|header\s*=\s*"?present"?)\s*)*$/i

/** Whether the body is a CSV file in UTF-8. */
export const isCsv = ({ headers }: Request): boolean => CSV_MEDIA_TYPE.test(headers.get('content-type') ?? '')

/** The body as the field `csv`. Undefined for an empty body. */
export async function readCsvText(request: Request, limit: BodyLimit): Promise<{ csv: string } | undefined> {
  const bytes = await readBytes(request, limit)
  if (bytes.byteLength === 0) return undefined
  const body = { csv: textOf(bytes, 'must be CSV in UTF-8; spreadsheets call it "CSV UTF-8"') }
  refuseUnstorableText(body)
  return body
}
