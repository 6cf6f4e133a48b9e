import type { Fragment, Sql } from '../../kit/db/client.ts'
import { filesForQuoting } from '../confidentiality/visibility.ts'
import { inView, showsIpFiles } from '../orders/visibility.ts'
import { isOwn, isOwnRfq, isSourceable, isWholeInvitation, pinnedRevision } from '../parts/visibility.ts'
import type { Pictures, RecordKind } from '../renderings/pictures.ts'
import type { Measured } from '../renderings/rules.ts'
import type { PreviewUrls } from '../renderings/urls.ts'

/* What an organization may know of the models of a part, as JSON: `Measured`. Null without any that it reads. */

/** Whether the newest model of `ip` or an open group is one of `ip`, on rows `pinned`. */
const hasIpModel = (sql: Sql) =>
  sql`pinned.measured -> 'ip' ->> 'model' is distinct from pinned.measured -> 'open' ->> 'model'`

/** Whether the organization reads the newest model of the group `ip`, on rows `pinned` of `sourcing.part_revisions`. */
const readsIpModel = (sql: Sql, orgId: string, now: string) => sql`(
  ${hasIpModel(sql)}
  and (
    exists (
      select from sourcing.orders
      where ${inView(sql, orgId, 'MANUFACTURER')} and orders.part_id = pinned.part_id
        and orders.part_revision = pinned.revision and ${showsIpFiles(sql)})
    or exists (
      select from (${filesForQuoting(sql, orgId, sql`pinned.part_id`, now)}) quoted
      where quoted.part_revision = pinned.revision and quoted.file_id = pinned.measured -> 'ip' ->> 'model')))`

interface PinningRecord {
  /** The table, with the name by which the conditions call it. */
  table: Fragment
  id: Fragment
  partId: Fragment
  revision: Fragment
  /** Whether the organization reads the revision, apart from its IP owner. */
  isReader: Fragment
}

/** A revision whose newest model is one of the group `ip`, before it is known whether the reader may read it. */
interface WithheldModel {
  partId: string
  revision: number
  open?: Measured | null
  ip: Measured
}

const isWithheld = (measured: Measured | WithheldModel | null): measured is WithheldModel =>
  measured !== null && 'ip' in measured

/**
 * The model of a pinned revision. A newest model of the group `ip` is `WithheldModel`: a statement of its own asks
 * whether the organization reads it, because the plan of that question is started for each execution.
 */
const measuredOfRevision = (sql: Sql, orgId: string, { partId, revision, isReader }: PinningRecord) => sql`(
  select case
    when pinned.ip_owner_org_id = ${orgId} then pinned.measured -> 'own'
    when not ${isReader} then null
    when ${hasIpModel(sql)} then jsonb_build_object('partId', pinned.part_id, 'revision', pinned.revision,
      'open', pinned.measured -> 'open', 'ip', pinned.measured -> 'ip')
    else pinned.measured -> 'open' end
  from sourcing.part_revisions pinned
  where pinned.part_id = ${partId} and pinned.revision = ${revision} and pinned.measured is not null)`

/** Which of these revisions have a model of the group `ip` that the organization reads. */
const findReleased = (
  sql: Sql,
  orgId: string,
  revisions: readonly { partId: string; revision: number }[],
  now: string,
) => sql<{ part_id: string; revision: number }[]>`
  select pinned.part_id, pinned.revision
  from json_to_recordset(${JSON.stringify(revisions)}::text::json) as wanted ("partId" text, revision integer)
  join sourcing.part_revisions pinned on pinned.part_id = wanted."partId" and pinned.revision = wanted.revision
  where ${readsIpModel(sql, orgId, now)}`

/** Whether an invitation lets the organization read the revision that an RFQ pins. */
const isInvitedTo = (sql: Sql, orgId: string, rfqId: Fragment) => sql`exists (
  select from sourcing.rfq_invitations invitation
  where invitation.rfq_id = ${rfqId} and ${isWholeInvitation(sql, orgId)})`

/** Of a part whose files the organization reads, on rows of `sourcing.parts`. */
const measuredOfPart = (sql: Sql, orgId: string, now: string) => sql`case
  when ${isOwn(sql, orgId)} then parts.measured -> 'own'
  -- Most parts have no model, for which the conditions below need not be evaluated.
  when parts.measured is null and not exists (
    select from sourcing.part_revisions pinned where pinned.part_id = parts.id and pinned.measured is not null) then null
  else coalesce((
    select pinned.measured -> 'ip' from sourcing.part_revisions pinned
    where pinned.part_id = parts.id and pinned.measured is not null and ${readsIpModel(sql, orgId, now)}
    order by pinned.revision desc limit 1
  ), case when ${isSourceable(sql, orgId)} then parts.measured -> 'open' else (
    select pinned.measured -> 'open' from sourcing.part_revisions pinned
    where pinned.part_id = parts.id and pinned.revision = ${pinnedRevision(sql, orgId)}) end) end`

const RECORDS: Record<RecordKind, (sql: Sql, orgId: string) => PinningRecord> = {
  rfq: (sql, orgId) => ({
    table: sql`sourcing.rfqs rfq`,
    id: sql`rfq.id`,
    partId: sql`rfq.part_id`,
    revision: sql`rfq.part_revision`,
    isReader: sql`(${isOwnRfq(sql, orgId)} or ${isInvitedTo(sql, orgId, sql`rfq.id`)})`,
  }),
  offer: (sql, orgId) => ({
    table: sql`sourcing.offers`,
    id: sql`offers.id`,
    partId: sql`offers.part_id`,
    revision: sql`offers.part_revision`,
    isReader: sql`(${isInvitedTo(sql, orgId, sql`offers.rfq_id`)} or exists (
      select from sourcing.rfqs rfq where rfq.id = offers.rfq_id and ${isOwnRfq(sql, orgId)}))`,
  }),
  // Each organization of an order reads the revision that it pins.
  order: (sql) => ({
    table: sql`sourcing.orders`,
    id: sql`orders.id`,
    partId: sql`orders.part_id`,
    revision: sql`orders.part_revision`,
    isReader: sql`true`,
  }),
}

/** What an organization that reads the records may know of the models of their parts. */
export const findMeasured = (sql: Sql, orgId: string, kind: RecordKind, ids: readonly string[]) => {
  const record = RECORDS[kind](sql, orgId)
  return sql<{ id: string; measured: Measured | WithheldModel | null }[]>`
    select ${record.id} as id, ${measuredOfRevision(sql, orgId, record)} as measured
    from ${record.table} where ${record.id} = any(${[...ids]})`
}

/** What features need to show the pictures of parts. */
export const picturesOf = (urls: PreviewUrls): Pictures => ({ urls, ...MEASURED })

export const MEASURED: Omit<Pictures, 'urls'> = {
  ofPart: (orgId, now) => (sql) => measuredOfPart(sql, orgId, now),
  async ofRecords(kind, { caller: { orgId }, now, read }, ids) {
    const rows = await read((sql) => findMeasured(sql, orgId, kind, ids))
    const withheld = rows.map(({ measured }) => measured).filter(isWithheld)
    const revisions = withheld.map(({ partId, revision }) => ({ partId, revision }))
    const released = revisions.length === 0 ? [] : await read((sql) => findReleased(sql, orgId, revisions, now))
    const isReleased = ({ partId, revision }: WithheldModel) =>
      released.some((row) => row.part_id === partId && row.revision === revision)
    return new Map(
      rows.flatMap(({ id, measured }) => {
        if (!isWithheld(measured)) return measured ? [[id, measured]] : []
        const seen = isReleased(measured) ? measured.ip : measured.open
        return seen ? [[id, seen]] : []
      }),
    )
  },
}
