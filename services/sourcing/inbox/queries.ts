import type { Permission } from '../../../proto/permissions.ts'
import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { NEWEST, NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { PARENTS, type Source } from './sources.ts'

/** The reader of an inbox. */
export interface Reader {
  orgId: string
  userId: string
  permissions: ReadonlySet<Permission>
}

/** The sort key of an item. A record may have items of several kinds. That of a package is its newest RFQ or offer. */
interface ItemKey {
  since: string
  id: string
  kind: string
}

const positionAt = (position: string | undefined): ItemKey => {
  const [since = NEWEST.timestamp, id = NEWEST.id, kind = NEWEST_ID] = position?.split(' ') ?? []
  return { since, id, kind }
}

/** What waits for an organization, newest first. Each source reads as many items as the page needs, by its index. */
export function listItems(sql: Sql, reader: Reader, sources: readonly Source[], { after, limit, offset }: PageWindow) {
  const key = positionAt(after)
  return sql<DocumentRow[]>`
    select
      concat(sourcing.api_time(since), ' ', record_id, ' ', kind) as position,
      concat(
        '{"kind":', to_json(kind),
        ',"record":{"type":', to_json(case when package_id is null then record_type else 'rfqPackage' end),
        ',"id":', to_json(coalesce(package_id, record_id)), '}',
        case when package_id is null then ',"parent":{"type":' || to_json(parent_type)::text || ',"id":' || to_json(parent_id)::text || '}' end,
        ',"title":' || to_json(title)::text,
        ',"count":' || count,
        ',"since":', to_json(sourcing.api_time(since)),
        ',"due":' || to_json(sourcing.api_time(due))::text,
        '}') as document
    from (
      ${sources
        .map((source) => newestOf(sql, reader, source, key, limit + offset))
        .reduce((all, next) => sql`${all} union all ${next}`)}
    ) items
    order by since desc, record_id collate "C" desc, kind collate "C" desc limit ${limit} offset ${offset}`
}

function newestOf(sql: Sql, reader: Reader, source: Source, key: ItemKey, count: number): Fragment {
  const { kind, record, view, hasPackages } = source
  const parent = PARENTS[record] ?? null
  return sql`(
    select ${kind} as kind, ${record} as record_type, record_id, ${parent}::text as parent_type, parent_id, title, since,
      due, ${hasPackages ? sql`package_id, count` : sql`null::text as package_id, null::integer as count`}
    from ${sql(`sourcing.${view}`)}
    where ${and(
      sql,
      sql`org_id = ${reader.orgId} and (since, record_id) <= (${key.since}::timestamptz, ${key.id})`,
      sql`(since, record_id) < (${key.since}::timestamptz, ${key.id}) or ${kind} collate "C" < ${key.kind}`,
      ...waitingFor(sql, reader, source),
    )}
    order by since desc, record_id desc limit ${count})`
}

/** The conditions of a source that depend on the user. */
function waitingFor(
  sql: Sql,
  { orgId, userId, permissions }: Reader,
  { users, exceptAsConsumerWith }: Source,
): (Fragment | false)[] {
  return [
    users === 'ONE' && sql`for_user_id = ${userId}`,
    users === 'OTHERS' && sql`not_user_id is distinct from ${userId}`,
    exceptAsConsumerWith !== undefined && permissions.has(exceptAsConsumerWith) && sql`consumer_org_id <> ${orgId}`,
  ]
}
