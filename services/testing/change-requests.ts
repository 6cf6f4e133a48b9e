import type { ChangeRequest } from '../../proto/http/sourcing/change-requests.ts'
import type { ApiClient } from './client.ts'
import { collectionOf } from './people.ts'

/** The requests about changes of orders of one client. */
export const changesOf = (client: ApiClient) => {
  const of = (orderId: string) => collectionOf<ChangeRequest>(client, `/flows/v1/orders/${orderId}/change-requests`)
  return {
    list: (orderId: string) => of(orderId).list('?pageSize=50'),
    create: (orderId: string, body: object) => of(orderId).create({ reason: 'The pump is delivered later.', ...body }),
    act: (orderId: string, id: string, verb: 'accept' | 'decline' | 'withdraw', body?: object) =>
      of(orderId).act(id, verb, body),
  }
}
