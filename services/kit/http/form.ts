import type { TSchema } from '@sinclair/typebox'
import type { FieldError } from '../../../proto/errors.ts'
import { invalid } from '../errors/refusal.ts'
import { type BodyLimit, readBytes, refuseUnstorableText, textOf } from './body.ts'

const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** Whether the body is form-encoded, as OAuth clients send it. */
export const isFormEncoded = ({ headers }: Request): boolean => FORM_MEDIA_TYPE.test(headers.get('content-type') ?? '')

/**
 * The fields of a form that the schema declares, by the rules of OAuth (RFC 6749, section 3.2): other parameters are
 * ignored, a parameter without a value counts as not sent, and a repeated one is refused. Undefined for an empty body.
 */
export async function readForm(request: Request, schema: TSchema, limit: BodyLimit): Promise<unknown> {
  const bytes = await readBytes(request, limit)
  if (bytes.byteLength === 0) return undefined
  const fields = fieldsOf(textOf(bytes, 'must be a form in UTF-8'), new Set(Object.keys(schema.properties ?? {})))
  refuseUnstorableText(fields)
  return fields
}

function fieldsOf(text: string, declared: ReadonlySet<string>): Record<string, string> {
  const seen = new Set<string>()
  const repeated = new Map<string, FieldError>()
  const sent: [string, string][] = []
  for (const [name, value] of new URLSearchParams(text)) {
    if (!declared.has(name)) continue
    if (seen.has(name)) repeated.set(name, { field: name, message: 'may be given once' })
    seen.add(name)
    if (value !== '') sent.push([name, value])
  }
  if (repeated.size > 0) throw invalid([...repeated.values()])
  return Object.fromEntries(sent)
}
