import type { FieldError } from '../../../proto/errors.ts'
import type { WebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { type AddressPolicy, destinationOf } from '../../kit/addresses/destination.ts'
import type { EndpointRow } from './queries.ts'

/** The problem of a URL to which nothing may be sent. Names are resolved only at each attempt. */
export function urlProblems({ url }: { url?: string }, policy: AddressPolicy): FieldError[] {
  if (url === undefined) return []
  const destination = destinationOf(url, policy)
  return 'problem' in destination ? [{ field: 'url', message: destination.problem }] : []
}

/** The first of equal values stays. */
export const merged = <Value>(values: readonly Value[]): Value[] => [...new Set(values)]

export const shownEndpoint = ({ description, ...row }: EndpointRow): WebhookEndpoint =>
  description === null ? row : { ...row, description }

/** The subscriptions that an event type matches: itself, and the wildcard of each shorter prefix. */
export function subscriptionsOf(type: string): string[] {
  const words = type.split('.')
  return [type, ...words.slice(1).map((_, index) => `${words.slice(0, index + 1).join('.')}.*`)]
}
