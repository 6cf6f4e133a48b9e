/** Fields with these names are never logged, even where a contract allows them. */
const SECRET_NAME = /password|secret|token|authorization|signature|sig$/i

const MAX_REQUEST_BYTES = 16 * 1024

/** The fields of a command's input that its contract allows in the audit log. Secrets inside objects are redacted. */
export function loggedFields(
  input: Record<string, unknown>,
  allowed: readonly string[],
  hostOnly: readonly string[] = [],
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of allowed) {
    if (!Object.hasOwn(input, name) || input[name] === undefined) continue
    kept[name] = hostOnly.includes(name) ? hostOf(input[name]) : redacted(input[name], name)
  }
  return sizeOf(kept) <= MAX_REQUEST_BYTES ? kept : shortened(kept)
}

/** The host of a URL, whose other parts may grant access. */
function hostOf(value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url === null || url.host === '' ? '[redacted]' : url.host
}

function redacted(value: unknown, name: string): unknown {
  if (SECRET_NAME.test(name)) return '[redacted]'
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map((item) => redacted(item, ''))
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [storable(key), redacted(item, key)]))
  }
  return value
}

/** Escapes NUL and lone surrogates, which jsonb rejects. A path id may contain them. */
const storable = (text: string) =>
  text.replace(/\0|\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** The fields that fit into the limit, in order, and the names of the others. */
function shortened(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  const omitted: string[] = []
  let bytesLeft = MAX_REQUEST_BYTES - 1024
  for (const [name, value] of Object.entries(fields)) {
    const size = sizeOf(value)
    if (size <= bytesLeft) {
      kept[name] = value
      bytesLeft -= size
    } else omitted.push(name)
  }
  return { ...kept, notShown: omitted }
}
