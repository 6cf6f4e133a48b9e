import type { Sql } from '../../kit/db/client.ts'
import { filesForQuoting } from '../confidentiality/visibility.ts'
import { inView, showsIpFiles } from '../orders/visibility.ts'
import { isOwn, isSourceable, pinnedRevision } from '../parts/visibility.ts'
import { hasIpModel, type Pictures, type ReleasedModel } from '../renderings/pictures.ts'
import type { PreviewUrls } from '../renderings/urls.ts'

/* What an organization may know of the models of a part, as JSON: `Measured`. Null without any that it reads. */

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

/** The revisions whose model of the group `ip` the organization reads. */
export const findReleased = (sql: Sql, orgId: string, revisions: readonly ReleasedModel[], now: string) => sql<
  ReleasedModel[]
>`
  select pinned.part_id as "partId", pinned.revision
  from json_to_recordset(${JSON.stringify(revisions)}::text::json) as wanted ("partId" text, revision integer)
  join sourcing.part_revisions pinned on pinned.part_id = wanted."partId" and pinned.revision = wanted.revision
  where ${readsIpModel(sql, orgId, now)}`

/** Of a part whose files the organization reads, on rows of `sourcing.parts`. */
const measuredOfPart = (sql: Sql, orgId: string, now: string) => sql`case
  when ${isOwn(sql, orgId)} then parts.measured -> 'own'
  -- Most parts have no model, for which the conditions below need not be evaluated.
  when parts.measured is null and not exists (
    select from sourcing.part_revisions pinned where pinned.part_id = parts.id and pinned.measured is not null) then null
  else (
    select seen from (values ((
      select pinned.measured -> 'ip' from sourcing.part_revisions pinned
      where pinned.part_id = parts.id and pinned.measured is not null and ${readsIpModel(sql, orgId, now)}
      order by pinned.revision desc limit 1
    )), (case when ${isSourceable(sql, orgId)} then parts.measured -> 'open' else (
      select pinned.measured -> 'open' from sourcing.part_revisions pinned
      where pinned.part_id = parts.id and pinned.revision = ${pinnedRevision(sql, orgId)}) end)) newest (seen)
    where seen is not null
    -- Ids of files sort by their time.
    order by seen ->> 'model' collate "C" desc nulls last limit 1) end`

/** What features need to show the pictures of parts. */
export const picturesOf = (urls: PreviewUrls): Pictures => ({ urls, ...MEASURED })

export const MEASURED: Omit<Pictures, 'urls'> = {
  ofPart: (orgId, now) => (sql) => measuredOfPart(sql, orgId, now),
  released: ({ caller: { orgId }, now, read }, withheld) => {
    const revisions = withheld.map(({ partId, revision }) => ({ partId, revision }))
    return read((sql) => findReleased(sql, orgId, revisions, now))
  },
}
