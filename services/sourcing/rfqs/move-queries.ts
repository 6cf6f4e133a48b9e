import type { Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'
import { isConsumer } from './visibility.ts'

/** Keeps the current revisions of locked parts. */
export const pinParts = (tx: Tx, partIds: readonly string[], now: string) => tx`
  select sourcing.pin_part(part_id, ${now}) from unnest(${[...new Set(partIds)]}::text[]) part_id`

interface StateChange {
  to: string
  /** Undefined: the expiry stays. */
  expireTime?: string | undefined
  cancelReason?: string | undefined
}

/** An RFQ to be moved, with the current revision of its part, which a publication pins. */
interface MovingRfq {
  id: string
  currentRevision?: number | undefined
}

export interface MovedRfq {
  id: string
  document: string
}

/** Moves own RFQs that are locked. */
export const moveStates = (
  tx: Tx,
  orgId: string,
  rfqs: readonly MovingRfq[],
  { to, expireTime, cancelReason }: StateChange,
  now: string,
) => tx<MovedRfq[]>`
  update sourcing.rfqs rfq set state = ${to}, expires_at = coalesce(${expireTime ?? null}, expires_at),
    cancel_reason = ${cancelReason ?? null}, updated_at = ${now},
    published_at = case when ${to} = 'OPEN' then coalesce(published_at, ${now}) else published_at end,
    version = case when ${to} = 'OPEN' then coalesce(version, 1) else version end,
    part_revision = coalesce(rfq.part_revision, moving.part_revision)
  from unnest(${rfqs.map(({ id }) => id)}::text[],
    ${rfqs.map(({ currentRevision }) => currentRevision ?? null)}::integer[]) moving (rfq_id, part_revision)
  where id = rfq_id and ${isConsumer(tx, orgId)}
  returning id, consumer_document as document`

/** The invited manufacturers of RFQs that have declined. */
export const listDeclined = (tx: Tx, rfqIds: readonly string[]) => tx<{ rfq_id: string; org_id: string }[]>`
  select rfq_id, org_id from sourcing.rfq_invitations where rfq_id = any(${[...rfqIds]}) and state = 'DECLINED'`

export const lockPackageSize = (tx: Tx, packageId: string) => lockByName(tx, 'package invitations', packageId)

/** The invitations to all lines of packages, of the largest package. */
export const countPackageInvitations = (tx: Tx, packageIds: readonly string[]) => tx<{ count: number }[]>`
  select count(*)::integer as count
  from sourcing.rfqs rfq join sourcing.rfq_invitations on rfq_id = rfq.id
  where rfq.package_id = any(${[...packageIds]}) group by rfq.package_id
  order by count desc limit 1`

export const insertInvitations = (tx: Tx, invitations: readonly { rfqId: string; orgId: string }[], now: string) => tx`
  insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at, package_id)
  select rfq.id, invited.org_id, ${now}, rfq.package_id
  from unnest(${invitations.map(({ rfqId }) => rfqId)}::text[], ${invitations.map(({ orgId }) => orgId)}::text[])
    with ordinality invited (rfq_id, org_id, place)
  join sourcing.rfqs rfq on rfq.id = invited.rfq_id
  order by place`
