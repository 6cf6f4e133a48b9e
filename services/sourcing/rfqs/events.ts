import type { EventData, EventName } from '../../../proto/events/events.ts'
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

type RfqEventName = Exclude<EventName<'sourcing.rfq'>, DetailedEventName | 'clarified' | `question${string}`>

/** The events with data of their own, besides those of questions. */
type DetailedEventName =
  | 'invited'
  | 'emailInvited'
  | 'emailInvitationRedeemed'
  | 'emailInvitationRevoked'
  | 'declined'
  | 'termsAccepted'
  | 'filesReleased'
  | 'filesWithdrawn'

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

/** What the data of an event has besides the ids of the RFQ and its parties. */
type DetailOf<Name extends DetailedEventName> = Omit<EventData<`sourcing.rfq.${Name}`>, keyof ReturnType<typeof about>>

export const emitRfqDetail = <Name extends DetailedEventName>(
  tx: Tx,
  name: Name,
  rfq: RfqSubject,
  detail: DetailOf<Name>,
) =>
  emit(tx, {
    ...attributesOf(rfq),
    type: `sourcing.rfq.${name}`,
    data: { ...about(rfq), ...detail } as EventData<`sourcing.rfq.${Name}`>,
  })

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
