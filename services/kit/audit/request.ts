/** The second net behind each command's list of fields: what is called so is never kept, whatever a list says. */
const SECRET_NAME = /password|secret|token|authorization|signature|sig$/i

const MAX_REQUEST_BYTES = 16 * 1024

/**
 * The part of a command's input that its contract declares fit for the audit log. A name stands for a whole field;
 * inside objects, fields with the name of a secret are dropped as well.
 */
export function loggedFields(
  input: Record<string, unknown>,
  allowed: readonly string[],
  hostAlone: readonly string[] = [],
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name of allowed) {
    if (!Object.hasOwn(input, name) || input[name] === undefined) continue
    kept[name] = hostAlone.includes(name) ? hostOf(input[name]) : redacted(input[name], name)
  }
  return sizeOf(kept) <= MAX_REQUEST_BYTES ? kept : shortened(kept)
}

/** Of a URL that opens something, where it leads. */
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

/** Escapes what JSON has and jsonb does not: an id of a path may hold it, and would otherwise fail the entry. */
const storable = (text: string) =>
  text.replace(/\0|\p{Surrogate}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** Too much to keep whole: each field in turn while there is room, and the names of those that are not shown. */
function shortened(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  const left: string[] = []
  let room = MAX_REQUEST_BYTES - 1024
  for (const [name, value] of Object.entries(fields)) {
    const size = sizeOf(value)
    if (size <= room) {
      kept[name] = value
      room -= size
    } else left.push(name)
  }
  return { ...kept, notShown: left }
}
