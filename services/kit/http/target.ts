import type { Operation } from '../../../proto/http/operation.ts'
import type { RequestState } from './request-state.ts'

/** The target of a request as the router sees it. */
interface Target {
  /** The path as sent, still percent-encoded. */
  path: string
  /** The query without its question mark. */
  search: string
}

/** Longer targets are 414. */
export const MAX_TARGET_CHARACTERS = 16 * 1024
/** Headers whose total length exceeds this are 431. */
export const MAX_HEADERS_CHARACTERS = 64 * 1024

export function headersLength(headers: Headers): number {
  let length = 0
  headers.forEach((value, name) => {
    length += name.length + value.length
  })
  return length
}

/** Splits the URL by hand, because `new URL` costs more than routing the request. */
export function targetOf(url: string): Target {
  // A request without a host has no origin before its path.
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3)
  if (start === -1) return { path: '/', search: '' }
  const question = url.indexOf('?', start)
  return question === -1
    ? { path: url.slice(start), search: '' }
    : { path: url.slice(start, question), search: url.slice(question + 1) }
}

/** The path in the router's syntax: `{id}` becomes `:id`. */
export const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Matches exactly the paths of an operation. The colon before a verb may be percent-encoded. */
export function pathPattern(path: string): RegExp {
  const escaped = path
    .replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replaceAll(/\{\w+\}/g, '[^/]+')
    .replaceAll(':', '(?::|%3[aA])')
  return new RegExp(`^${escaped}$`)
}

/**
 * Whether the request comes from the address bar of a browser, which names HTML first. Programs name JSON or nothing.
 */
export const prefersPage = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.get('accept')?.startsWith('text/html') === true

const API_PATH = /^\/(v1|v2\.3|flows\/v1|scim\/v2)(\/|$)/
/** Whether the path belongs to the API, which answers with its error body whatever is accepted. */
export const isOfApi = (path: string): boolean => API_PATH.test(path)

/** A page for people at an address that does not exist. */
export type UnknownPage = (path: string, detail: string) => { text: string; headers: Readonly<Record<string, string>> }

/** Whether an operation is a paged list. */
export const isPaged = ({ query }: Operation): boolean =>
  query?.properties.page !== undefined && query.properties.pageSize !== undefined

/** The `Link` to the page after the requested one (RFC 8288), relative to the address of the request. */
export function nextPageOf({ request }: RequestState): string {
  const { path, search } = targetOf(request.url)
  // Encodes every character that a header or the link could not contain.
  const query = new URLSearchParams(search)
  query.set('page', String(Number(query.get('page') ?? 1) + 1))
  return `<${path}?${query}>; rel="next"`
}
