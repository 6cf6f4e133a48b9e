import type { ChangeRequest } from '../../proto/http/sourcing/change-requests.ts'
import type { ApiAnswer, ApiClient } from './client.ts'
import type { Problem } from './people.ts'

type ChangeAnswer = Promise<ApiAnswer<ChangeRequest & Problem>>

/** The requests about changes of orders of one client. */
export const changesOf = (client: ApiClient) => ({
  list: (orderId: string) =>
    client.get<{ items: ChangeRequest[]; hasMore: boolean } & Problem>(
      `/flows/v1/orders/${orderId}/change-requests?pageSize=50`,
    ),
  create: (orderId: string, body: object): ChangeAnswer =>
    client.post(`/flows/v1/orders/${orderId}/change-requests`, { reason: 'The pump is delivered later.', ...body }),
  act: (orderId: string, id: string, verb: 'accept' | 'decline' | 'withdraw', body?: object): ChangeAnswer =>
    client.post(`/flows/v1/orders/${orderId}/change-requests/${id}/${verb}`, body),
})
