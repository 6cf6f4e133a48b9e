import type { AssignmentContact } from '../../proto/http/sourcing/assignment-contacts.ts'
import type { Assignment, AssignmentExtension } from '../../proto/http/sourcing/assignments.ts'
import type { BillingDetails } from '../../proto/http/sourcing/billing-details.ts'
import type { Pool } from '../kit/db/client.ts'
import { newId } from '../kit/db/ids.ts'
import { insertAssignments } from '../sourcing/assignments/queries.ts'
import type { ApiAnswer, ApiClient } from './client.ts'
import type { Problem } from './people.ts'

type Answer<T> = Promise<ApiAnswer<T & Partial<Problem>>>
type Headers = Record<string, string>

/** The requests about one kind of record of an assignment. */
const recordsOf =
  <T>(client: ApiClient, kind: string) =>
  (assignmentId: string) => {
    const path = `/flows/v1/assignments/${assignmentId}/${kind}`
    return {
      create: (body: unknown, headers: Headers = {}): Answer<T> => client.post(path, body, headers),
      list: (query = ''): Answer<{ items: T[]; hasMore: boolean }> => client.get(`${path}${query}`),
      read: (id: string): Answer<T> => client.get(`${path}/${id}`),
      patch: (id: string, body: unknown, headers: Headers = {}): Answer<T> =>
        client.send('PATCH', `${path}/${id}`, { body, headers }),
      remove: (id: string): Answer<object> => client.send('DELETE', `${path}/${id}`),
    }
  }

/** The requests about assignments of one client. */
export const assignmentsOf = (client: ApiClient) => ({
  read: (id: string): Answer<Assignment> => client.get(`/flows/v1/assignments/${id}`),
  list: (query = ''): Answer<{ items: Assignment[]; hasMore: boolean }> => client.get(`/flows/v1/assignments${query}`),
  act: (id: string, verb: string): Answer<Assignment> => client.post(`/flows/v1/assignments/${id}/${verb}`),
  extensions: recordsOf<AssignmentExtension>(client, 'extensions'),
  contacts: recordsOf<AssignmentContact>(client, 'contacts'),
  billingDetails: recordsOf<BillingDetails>(client, 'billing-details'),
})

/** Opens the assignment of an order that was inserted under the owner's role, without events. */
export async function insertAssignment(owner: Pool, orderId: string): Promise<string> {
  const id = newId('assignment')
  await insertAssignments(owner, [{ id, orderId }])
  return id
}

/** The id of the assignment of an order. */
export async function assignmentOf(owner: Pool, orderId: string): Promise<string> {
  const [row] = await owner<{ id: string }[]>`select id from sourcing.assignments where order_id = ${orderId}`
  if (!row) throw new Error('the order has no assignment')
  return row.id
}

interface StoredEvent {
  id: string
  type: string
  tenantId: string
  data: Record<string, unknown> & { assignment: Assignment; cause?: { event: string; id: string } }
}

/** The events of an assignment in the order of the outbox. */
export const eventsOf = (owner: Pool, assignmentId: string): Promise<StoredEvent[]> => owner<StoredEvent[]>`
  select id, type, tenant_id as "tenantId", data::jsonb as data from sourcing.outbox
  where subject = ${assignmentId} order by seq`
