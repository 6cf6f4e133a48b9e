import type { Sql, Tx } from '../../kit/db/client.ts'
import { contains, hasAsciiTrigram } from '../../kit/db/conditions.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { scanNewest } from '../../kit/pagination/search.ts'
import { isUnfinished } from '../orders/visibility.ts'
import type { PicturedRow } from '../renderings/documents.ts'
import type { MeasuredColumn } from '../renderings/pictures.ts'
import type { PartContent } from './rules.ts'
import { documentFor, isOwn, isPublic, isReadable } from './visibility.ts'

export interface PartListing extends PageWindow {
  view: 'CONSUMER' | 'IP_OWNER'
}

interface PartSearch extends PartListing {
  q: string
}

const inView = (sql: Sql, orgId: string, view: PartListing['view']) =>
  view === 'IP_OWNER' ? isOwn(sql, orgId) : isPublic(sql)

/** A part of a page. */
export interface PartRow extends DocumentRow, PicturedRow {}

/** The public JSON of the rows of one view. */
const documentIn = (sql: Sql, view: PartListing['view']) => (view === 'IP_OWNER' ? sql`owner_document` : sql`document`)

/** What the readers of one view may know of the models of a part. */
const measuredIn = (sql: Sql, view: PartListing['view']) =>
  view === 'IP_OWNER' ? sql`measured -> 'own'` : sql`measured -> 'open'`

/** Newest first. */
export const listParts = (sql: Sql, orgId: string, { view, after, limit, offset }: PartListing) => sql<PartRow[]>`
  select id as position, ${documentIn(sql, view)} as document, ${measuredIn(sql, view)} as measured
  from sourcing.parts
  where ${inView(sql, orgId, view)} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** Newest first, for large offsets: an index-only scan skips parts, and only the documents of the page are fetched. */
export const listPartsAtLargeOffset = (sql: Sql, orgId: string, { view, after, limit, offset }: PartListing) => sql<
  PartRow[]
>`
  select page.id as position, shown.document, shown.measured
  from (
    select id from sourcing.parts
    where ${inView(sql, orgId, view)} and id < ${after ?? NEWEST_ID}
    order by id desc limit ${limit} offset ${offset}
  ) page
  cross join lateral (${shownIn(sql, view)}) shown
  order by page.id desc`

/** The part `page.id` as a page shows it. */
const shownIn = (sql: Sql, view: PartListing['view']) => sql`
  select ${documentIn(sql, view)} as document, ${measuredIn(sql, view)} as measured
  from sourcing.parts where id = page.id`

/** Matches among the next `count` parts of a view. */
export const scanParts = (sql: Sql, orgId: string, { view, q, after, ...page }: PartSearch, count: number) =>
  scanNewest<PartRow>(
    sql,
    {
      next: sql`
        select id, search ilike ${contains(q)} as matches from sourcing.parts
        where ${inView(sql, orgId, view)} and id < ${after ?? NEWEST_ID}
        order by id desc limit ${count}`,
      shown: shownIn(sql, view),
    },
    { after, ...page },
    count,
  )

/** All matches of a view, by an index of the text; documents are fetched last. */
export const searchIndex = (sql: Sql, orgId: string, { view, q, after, limit, offset }: PartSearch) => sql<PartRow[]>`
  with matches as materialized (
    select id from sourcing.parts
    where ${indexedMatch(sql, { view, q })} and ${inView(sql, orgId, view)} and id < ${after ?? NEWEST_ID}
  ), page as materialized (
    select id from matches order by id desc limit ${limit} offset ${offset}
  )
  select page.id as position, shown.document, shown.measured
  from page cross join lateral (${shownIn(sql, view)}) shown
  order by page.id desc`

/** The condition that an index of the view serves, and the case-insensitive comparison with the text itself. */
function indexedMatch(sql: Sql, { view, q }: Pick<PartSearch, 'view' | 'q'>) {
  const text = view === 'IP_OWNER' ? sql`(search || '')` : sql`search`
  if (hasAsciiTrigram(q)) return sql`${text} ilike ${contains(q)}`
  // No index has this expression. For `search` alone the planner would read the trigram index of the texts.
  const matches = sql`'' || search ilike ${contains(q)}`
  return /[a-z0-9]/i.test(q)
    ? sql`sourcing.bigram_text(${text}) like '%' || regexp_replace(sourcing.bigram_text(${q}), '([%_\\\\])', '\\\\\\1', 'g') || '%'
        and ${matches}`
    : sql`string_to_array(lower(${text}), null) @> string_to_array(lower(${q}), null) and ${matches}`
}

/**
 * A part of the organization, or a public one without a model. It finds most parts, and Postgres starts it in a third
 * of the time of `findPart`, whose plan has a subplan for each relation to a part.
 */
export const findOwnOrPublicPart = (sql: Sql, orgId: string, id: string) => sql<PicturedRow[]>`
  select case when ${isOwn(sql, orgId)} then owner_document else document end as document,
    case when ${isOwn(sql, orgId)} then measured -> 'own' end as measured
  from sourcing.parts
  where id = ${id} and (${isOwn(sql, orgId)} or (${isPublic(sql)} and measured is null and (
    select true from sourcing.part_revisions pinned
    where pinned.part_id = parts.id and pinned.measured is not null limit 1) is null))`

/** A part for an organization; no row where the organization may not read it. */
export const findPart = (sql: Sql, orgId: string, id: string, measured: MeasuredColumn) => sql<PicturedRow[]>`
  select document, measured from (
    select ${documentFor(sql, orgId)} as document, ${measured(sql)} as measured
    from sourcing.parts where id = ${id} and ${isReadable(sql, orgId)}
    offset 0
  ) readable where document is not null`

/** The part with a serial number, in any case; no row where the organization may not read it. */
export const findPartOfSerial = (sql: Sql, orgId: string, serialNumber: string, measured: MeasuredColumn) => sql<
  PartRow[]
>`
  select position, document, measured from (
    select id as position, ${documentFor(sql, orgId)} as document, ${measured(sql)} as measured
    from sourcing.parts
    where serial_number = upper(${serialNumber}) and ${isReadable(sql, orgId)}
    offset 0
  ) readable where document is not null`

/** The parts of these ids that an organization may read. */
export const findParts = (sql: Sql, orgId: string, ids: readonly string[], measured: MeasuredColumn) => sql<
  (PicturedRow & { id: string })[]
>`
  select id, document, measured from (
    select id, ${documentFor(sql, orgId)} as document, ${measured(sql)} as measured
    from sourcing.parts
    where id = any(${[...ids]}) and ${isReadable(sql, orgId)}
    offset 0
  ) readable where document is not null`

interface NewPart {
  id: string
  serialNumber: string
  ipOwnerOrgId: string
  technologyIds: string[]
}

/** No row where another part has the same serial number. */
export function insertPart(
  tx: Tx,
  part: NewPart,
  { businessUnitIds, customFields, ...content }: PartContent,
  now: string,
) {
  return tx<{ serial_number: string }[]>`
    insert into sourcing.parts (id, serial_number, ip_owner_org_id, state, content, business_unit_ids, custom_fields,
      technology_ids, created_at, updated_at)
    values (${part.id}, ${part.serialNumber}, ${part.ipOwnerOrgId}, 'DRAFT', ${JSON.stringify(content)}::text::json,
      ${businessUnitIds}, ${JSON.stringify(customFields)}::text::jsonb, ${part.technologyIds}, ${now}, ${now})
    on conflict (serial_number) do nothing
    returning serial_number`
}

/** No row where the part is not the organization's own. */
export const findOwnPart = (sql: Sql, orgId: string, id: string) => sql<{ id: string }[]>`
  select id from sourcing.parts where id = ${id} and ${isOwn(sql, orgId)}`

/** The owner's JSON of an own part, locked until the transaction ends. */
export const lockOwnPart = (tx: Tx, orgId: string, id: string) => tx<{ document: string }[]>`
  select owner_document as document from sourcing.parts
  where id = ${id} and ${isOwn(tx, orgId)} for update`

/** Moves an own part that is locked. */
export const moveState = (tx: Tx, orgId: string, id: string, to: string, now: string) =>
  tx<{ document: string }[]>`
    update sourcing.parts set state = ${to}, updated_at = ${now},
      published_at = case when ${to} = 'PUBLISHED' then coalesce(published_at, ${now}) else published_at end
    where id = ${id} and ${isOwn(tx, orgId)}
    returning owner_document as document`

export function updateContent(
  tx: Tx,
  { id, orgId, technologyIds }: { id: string; orgId: string; technologyIds: string[] },
  { businessUnitIds, customFields, ...content }: PartContent,
  now: string,
) {
  return tx<{ document: string }[]>`
    update sourcing.parts set content = ${JSON.stringify(content)}::text::json, business_unit_ids = ${businessUnitIds},
      custom_fields = ${JSON.stringify(customFields)}::text::jsonb, technology_ids = ${technologyIds},
      revision = revision + 1, updated_at = ${now}
    where id = ${id} and ${isOwn(tx, orgId)}
    returning owner_document as document`
}

/** The OPEN and CLOSED RFQs of a part, counted up to one. */
export const findLiveRfq = (sql: Sql, id: string) => sql<{ id: string }[]>`
  select id from sourcing.rfqs where part_id = ${id} and state in ('OPEN', 'CLOSED') limit 1`

/** The RFQs of a part with confidentiality terms that have not ended, counted up to one. */
export const findConfidentialRfq = (sql: Sql, id: string) => sql<{ id: string }[]>`
  select id from sourcing.rfqs
  where part_id = ${id} and state in ('OPEN', 'CLOSED') and terms ->> 'confidentialityTerms' is not null limit 1`

/** The unfinished orders of a part, counted up to one. */
export const findUnfinishedOrder = (sql: Sql, id: string) => sql<{ id: string }[]>`
  select id from sourcing.orders where part_id = ${id} and ${isUnfinished(sql)} limit 1`

export const deletePart = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  delete from sourcing.parts where id = ${id} and ${isOwn(tx, orgId)} returning id`

/** The metadata of a part that an organization reads. */
export const findMetadata = (sql: Sql, orgId: string, id: string) => sql<{ metadata: string }[]>`
  select document::json ->> 'metadata' as metadata from (
    select ${documentFor(sql, orgId)} as document from sourcing.parts where id = ${id} and ${isReadable(sql, orgId)}
    offset 0
  ) readable where document is not null`
