import type { EventName } from '../../../proto/events/events.ts'
import type { Cause } from '../../../proto/events/shapes.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { emit, emitAll } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { RfqChange, RfqSubject } from './followers.ts'
import { partiesOf } from './rules.ts'

export const about = ({ id, partId, consumerOrgId, ipOwnerOrgId }: RfqSubject) => ({
  rfqId: id,
  partId,
  consumerOrgId,
  ipOwnerOrgId,
})

type RfqEventName = Exclude<EventName<'sourcing.rfq'>, DetailedEventName | FileEventName>

/** The events that name the manufacturers whose access to files changes. */
type FileEventName = 'filesReleased' | 'filesWithdrawn'

/** The other events with data of their own. */
type DetailedEventName =
  | 'invited'
  | 'emailInvited'
  | 'emailInvitationRedeemed'
  | 'emailInvitationRevoked'
  | 'declined'
  | 'termsAccepted'
  | 'clarified'
  | `question${string}`

export const attributesOf = (rfq: RfqSubject) => ({ tenantId: rfq.consumerOrgId, subject: rfq.id })

const eventOf = (name: RfqEventName, rfq: RfqSubject) => ({
  ...attributesOf(rfq),
  type: `sourcing.rfq.${name}` as const,
  data: about(rfq),
})

export const emitRfqEvent = (tx: Tx, name: RfqEventName, rfq: RfqSubject) => emit(tx, eventOf(name, rfq))

/** The event of each RFQ, in this order. */
export const emitRfqEvents = (tx: Tx, name: RfqEventName, rfqs: readonly RfqSubject[]) =>
  emitAll(
    tx,
    rfqs.map((rfq) => eventOf(name, rfq)),
  )

export const emitRfqInvited = (tx: Tx, rfq: RfqSubject, manufacturerOrgIds: string[]) =>
  emit(tx, { ...attributesOf(rfq), type: 'sourcing.rfq.invited', data: { ...about(rfq), manufacturerOrgIds } })

export const emitEmailInvited = (tx: Tx, rfq: RfqSubject, emailInvitationIds: string[]) =>
  emit(tx, { ...attributesOf(rfq), type: 'sourcing.rfq.emailInvited', data: { ...about(rfq), emailInvitationIds } })

export const emitEmailInvitationRedeemed = (tx: Tx, rfq: RfqSubject, emailInvitationId: string, orgId: string) =>
  emit(tx, {
    ...attributesOf(rfq),
    type: 'sourcing.rfq.emailInvitationRedeemed',
    data: { ...about(rfq), emailInvitationId, orgId },
  })

export const emitEmailInvitationRevoked = (tx: Tx, rfq: RfqSubject, emailInvitationId: string) =>
  emit(tx, {
    ...attributesOf(rfq),
    type: 'sourcing.rfq.emailInvitationRevoked',
    data: { ...about(rfq), emailInvitationId },
  })

export const emitRfqDeclined = (tx: Tx, rfq: RfqSubject, manufacturerOrgId: string) =>
  emit(tx, { ...attributesOf(rfq), type: 'sourcing.rfq.declined', data: { ...about(rfq), manufacturerOrgId } })

export const emitRfqTermsAccepted = (tx: Tx, rfq: RfqSubject, manufacturerOrgId: string) =>
  emit(tx, { ...attributesOf(rfq), type: 'sourcing.rfq.termsAccepted', data: { ...about(rfq), manufacturerOrgId } })

export const emitRfqFiles = (tx: Tx, name: FileEventName, rfq: RfqSubject, manufacturerOrgIds: string[]) =>
  emit(tx, { ...attributesOf(rfq), type: `sourcing.rfq.${name}`, data: { ...about(rfq), manufacturerOrgIds } })

/** The event of an RFQ as the cause of changes of its cases. */
export const causeOf = (name: EventName<'sourcing.rfq'>, { id }: Pick<Rfq, 'id'>): Cause => ({
  event: `sourcing.rfq.${name}`,
  id,
})

/** A change of which every organization of the RFQ learns. */
export const caseChange = (
  name: RfqEventName,
  rfq: Pick<Rfq, 'id' | 'consumerOrgId' | 'ipOwnerOrgId' | 'manufacturerIds'>,
): RfqChange => ({ rfqId: rfq.id, orgIds: partiesOf(rfq), cause: causeOf(name, rfq) })
