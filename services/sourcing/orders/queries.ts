import type { DocumentKind } from '../../../proto/http/sourcing/document-kinds.ts'
import type { Milestone } from '../../../proto/http/sourcing/orders.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import type { Actor } from '../../../proto/states/state-table.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { RecordRow } from '../renderings/documents.ts'
import { documentFor, isActor, isParty, pictureFor } from './visibility.ts'

/** The JSON of an order; no row where the order does not name the organization. */
export const findOrder = (sql: Sql, orgId: string, id: string) => sql<{ document: string }[]>`
  select ${documentFor(sql, orgId)} as document from sourcing.orders where id = ${id} and ${isParty(sql, orgId)}`

/** The same with the picture of its part. */
export const findPicturedOrder = (sql: Sql, orgId: string, id: string) => sql<RecordRow[]>`
  select id as position, ${documentFor(sql, orgId)} as document, ${pictureFor(sql, orgId)} as "pinnedPicture"
  from sourcing.orders where id = ${id} and ${isParty(sql, orgId)}`

/**
 * Locks the RFQ of an order that may end, before the order. An award locks the RFQ, then its cases, which the end of an
 * order changes.
 */
export const lockRfqOf = (tx: Tx, orderId: string) => tx`
  select id from sourcing.rfqs where id = (select rfq_id from sourcing.orders where id = ${orderId}) for update`

/** An order of which the organization is one of the actors, locked until the transaction ends. */
export const lockOrder = (tx: Tx, { orgId, id, by }: ActedOn) => tx<
  { document: string; held_state: OrderState | null }[]
>`
  select ${documentFor(tx, orgId)} as document, held_state
  from sourcing.orders where id = ${id} and ${isActor(tx, orgId, by)} for update`

interface ActedOn {
  orgId: string
  id: string
  by: readonly Actor[]
}

interface OrderChange {
  to: OrderState
  heldState: OrderState | null
  reason: string | null
}

/** An order without regard to an organization, locked until the transaction ends. */
export const lockAnyOrder = (tx: Tx, id: string) => tx<{ document: string; held_state: OrderState | null }[]>`
  select document, held_state from sourcing.orders where id = ${id} for update`

/** Moves an order that is locked. */
export const moveState = (
  tx: Tx,
  { orgId, id, by }: ActedOn,
  { to, heldState, reason }: OrderChange,
  now: string,
) => tx<{ document: string }[]>`
  update sourcing.orders set state = ${to}, held_state = ${heldState}, reason = ${reason}, updated_at = ${now}
  where id = ${id} and ${isActor(tx, orgId, by)}
  returning ${documentFor(tx, orgId)} as document`

export const replaceMilestones = (
  tx: Tx,
  { orgId, id, by }: ActedOn,
  milestones: readonly Milestone[],
  now: string,
) => tx<{ document: string }[]>`
  update sourcing.orders set milestones = ${JSON.stringify(milestones)}::text::jsonb, updated_at = ${now}
  where id = ${id} and ${isActor(tx, orgId, by)}
  returning ${documentFor(tx, orgId)} as document`

export const setFilesReleased = (tx: Tx, { orgId, id, by }: ActedOn, now: string) => tx<{ document: string }[]>`
  update sourcing.orders set files_released_at = ${now}, updated_at = ${now}
  where id = ${id} and ${isActor(tx, orgId, by)}
  returning ${documentFor(tx, orgId)} as document`

/** The kinds that the RFQ of an order requires and that neither manufacturer nor seller has added, READY. */
export const findMissingKinds = (tx: Tx, orderId: string) => tx<{ kind: DocumentKind }[]>`
  select required.kind
  from sourcing.orders placed
  join sourcing.rfqs rfq on rfq.id = placed.rfq_id
  cross join json_array_elements_text(rfq.terms -> 'requiredDocuments') with ordinality required (kind, place)
  where placed.id = ${orderId} and not exists (
    select from sourcing.files document
    where document.record_id = placed.id and document.document_kind = required.kind and document.state = 'READY'
      and document.superseded_by is null and document.org_id in (placed.manufacturer_org_id, placed.seller_org_id))
  order by required.place`
