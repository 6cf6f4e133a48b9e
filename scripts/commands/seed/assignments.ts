import type { AssignmentContactInput } from '../../../proto/http/sourcing/assignment-contacts.ts'
import type { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import type { BillingDetailsInput } from '../../../proto/http/sourcing/billing-details.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { expectOk } from './requests.ts'

/** What the manufacturer adds to the assignment of an order. */
export interface DemoAssignment {
  contacts?: readonly AssignmentContactInput[]
  billingDetails?: readonly BillingDetailsInput[]
  /** An extension of the expected day of delivery. */
  extension?: { days: number; reason: string }
  archived?: boolean
}

const DAY_MS = 24 * 60 * 60 * 1000
const later = (date: string, days: number) => new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)

/** Creates what is missing. */
export async function ensureAssignment(
  maker: ApiClient,
  orderId: string,
  { contacts = [], billingDetails = [], extension, archived = false }: DemoAssignment,
): Promise<void> {
  const listed = await expectOk(maker.get<{ items: Assignment[] }>(`/flows/v1/assignments?orderId=${orderId}`))
  const assignment = listed.items[0]
  if (!assignment) throw new Error(`The order ${orderId} of the demo has no assignment`)
  if (assignment.archived) return
  const path = `/flows/v1/assignments/${assignment.id}`
  await ensureRecords(maker, `${path}/contacts`, contacts)
  await ensureRecords(maker, `${path}/billing-details`, billingDetails)
  const extensions = extension ? [{ dueDate: later(assignment.dueDate, extension.days), reason: extension.reason }] : []
  await ensureRecords(maker, `${path}/extensions`, extensions)
  if (archived) await expectOk(maker.post(`${path}/archive`))
}

/** An interrupted seed continues with the record after those that it created. */
async function ensureRecords(maker: ApiClient, path: string, records: readonly object[]): Promise<void> {
  if (records.length === 0) return
  const { items } = await expectOk(maker.get<{ items: unknown[] }>(path))
  for (const record of records.slice(items.length)) await expectOk(maker.post(path, record))
}
