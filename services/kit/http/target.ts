/** What the router may see of a request's target. */
export interface Target {
  /** The path as sent, percent-encoding and all. */
  path: string
  /** The query without its question mark. */
  search: string
}

/** Longer targets are 414. */
export const MAX_TARGET_CHARACTERS = 16 * 1024
/** Headers that are longer together are 431. */
export const MAX_HEADERS_CHARACTERS = 64 * 1024

export function headersLength(headers: Headers): number {
  let length = 0
  headers.forEach((value, name) => {
    length += name.length + value.length
  })
  return length
}

/** Cut out of the URL by hand: `new URL` costs more than the whole routing of a request. */
export function targetOf(url: string): Target {
  // What came without a host has no origin in front of its path.
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return { path: '/', search: '' }
  const question = url.indexOf('?', start)
  return question === -1
    ? { path: url.slice(start), search: '' }
    : { path: url.slice(start, question), search: url.slice(question + 1) }
}

/** `{id}` of OpenAPI as the router writes it. */
export const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Matches exactly the paths of an operation, the verb behind a colon included, percent-encoded or not. */
export function pathPattern(path: string): RegExp {
  const escaped = path
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replaceAll(/\{\w+\}/g, '[^/]+')
    .replaceAll(':', '(?::|%3[aA])')
  return new RegExp(`^${escaped}$`)
}
