import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { DAY_MS } from '../../../proto/durations.ts'
import type { Envelope } from '../../../proto/events/envelope.ts'
import type { MailedEvent } from './rules.ts'

const Id = Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' })

/** What mails use of the data of an event. Other systems also emit events of cases and assignments. */
const MailedData = Type.Object({
  case: Type.Optional(
    Type.Object({
      id: Type.Optional(Id),
      rfqId: Type.Optional(Id),
      orderId: Type.Optional(Id),
      orgId: Type.Optional(Id),
      closedByOrgId: Type.Optional(Id),
    }),
  ),
  message: Type.Optional(Type.Object({ authorOrgId: Id })),
  task: Type.Optional(Type.Object({ orgId: Type.Optional(Id) })),
  expense: Type.Optional(
    Type.Object({ orgId: Type.Optional(Id), state: Type.Optional(Id), decidedByOrgId: Type.Optional(Id) }),
  ),
  assignment: Type.Optional(Type.Object({ orderId: Id, orderSerialNumber: Id, rfqId: Id, status: Id, dueDate: Id })),
  endpointId: Type.Optional(Id),
  subscriptionId: Type.Optional(Id),
  salesAgreementId: Type.Optional(Id),
  cause: Type.Optional(Type.Object({ event: Type.String({ maxLength: 128 }) })),
})

/** The notice of each state of an expense that another party decided. A change of one makes it PROPOSED again. */
const DECISIONS = new Map<string, MailedEvent['decision']>([
  ['APPROVED', 'expenseApproved'],
  ['REJECTED', 'expenseRejected'],
])

/** What mails use of an event; undefined if it is more than a day late, such as after a pause of mail. */
export function mailedEventOf({ type, tenantid: orgId, time, data }: Envelope, now: string): MailedEvent | undefined {
  if (orgId === undefined || Date.parse(now) - Date.parse(time) > DAY_MS || !Value.Check(MailedData, data))
    return undefined
  const { case: about, message, task, expense, assignment, endpointId, subscriptionId, salesAgreementId, cause } = data
  const addedBy = message?.authorOrgId ?? task?.orgId ?? expense?.orgId
  const decision = type === 'cases.expenses.updated' ? DECISIONS.get(expense?.state ?? '') : undefined
  const causedBy =
    type === 'cases.closed' ? about?.closedByOrgId : decision ? expense?.decidedByOrgId : (addedBy ?? about?.orgId)
  const { orderId, orderSerialNumber: serialNumber, status, dueDate } = assignment ?? {}
  return {
    ...{ orgId, type, time, endpointId, subscriptionId, salesAgreementId },
    cause: cause?.event ?? '',
    rfqId: assignment?.rfqId ?? about?.rfqId,
    caseOf: about?.id !== undefined && causedBy !== undefined ? { caseId: about.id, causedBy } : undefined,
    isMessage: message !== undefined,
    ...(decision && { decision, isProposer: expense?.orgId === orgId }),
    isOfOther: about?.orgId !== undefined && about.orgId !== orgId,
    recordIds: [orderId ?? about?.orderId ?? assignment?.rfqId ?? about?.rfqId, about?.id].filter(
      (id) => id !== undefined,
    ),
    order: assignment && { orderId, serialNumber, status, dueDate },
  }
}
