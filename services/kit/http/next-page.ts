import type { Operation } from '../../../proto/http/operation.ts'
import type { RequestState } from './request-state.ts'
import { targetOf } from './target.ts'

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
