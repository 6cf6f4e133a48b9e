import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import type { Sql } from '../../kit/db/client.ts'
import { fold } from '../../kit/db/fold.ts'
import { contains } from '../../kit/db/search.ts'
import {
  type ActorFilter,
  type KindFilter,
  listKeys,
  listKeysOfActorKinds,
  listKeysOfActors,
  listKeysOfKinds,
  listRecentKeys,
  type Reach,
} from './kinds/queries.ts'
import { findMonths, isActorLike, listActors } from './queries.ts'
import { type EntryKey, merged, monthOf, stretchesOf, type Window, windowOf } from './rules.ts'

/** One way in which an entry can be asked for: what matches either of two, `q` by action and `q` by actor, is listed once. */
interface Way {
  kinds: KindFilter
  actors: ActorFilter | undefined
}

/** What a caller asks for, resolved against the procedures and users that there are. */
export interface Search {
  window: Window
  ways: readonly Way[]
  /** Set where `q` matches so many users that their entries are likely to be among the newest ones. */
  crowd: { either: readonly string[]; emailPattern: string } | undefined
}

/** Before every entry there is. */
export const NEWEST: EntryKey = { timestamp: '9999-12-31T23:59:59.999Z', id: '~' }

/** Users that are asked for one by one; of more, the newest entries are looked through first. */
const MAX_ACTORS = 200
/** So many entries are looked through for one that is wanted, before the users are asked for one by one. */
const LOOKED_FOR_ONE = 10
const LOOKED_AT_LEAST = 2000

export async function searchFor(sql: Sql, orgId: string, filters: AuditFilters): Promise<Search> {
  const { q, procedure, actorId } = filters
  const window = windowOf(filters)
  const kinds: KindFilter = {
    procedures: procedure === undefined ? null : [procedure],
    impersonatedOnly: filters.impersonatedOnly ?? false,
    failedOnly: filters.failedOnly ?? false,
    hideSignIns: filters.hideSignIns ?? false,
  }
  const actors: ActorFilter | undefined = actorId === undefined ? undefined : { actorIds: [actorId] }
  if (q === undefined) return { window, ways: [{ kinds, actors }], crowd: undefined }

  const either = PROCEDURES.filter((name) => fold(name).includes(fold(q)))
  const named = procedure === undefined ? either : either.filter((name) => name === procedure)
  const byAction: Way[] = named.length > 0 ? [{ kinds: { ...kinds, procedures: named }, actors }] : []
  const emailPattern = contains(q)
  if (actorId !== undefined) {
    const meant = (await isActorLike(sql, orgId, actorId, emailPattern)).length > 0
    return { window, ways: meant ? [{ kinds, actors }] : byAction, crowd: undefined }
  }
  // Every entry that the procedure names is asked for already.
  if (procedure !== undefined && named.length > 0) return { window, ways: byAction, crowd: undefined }
  const ids = (await listActors(sql, orgId, emailPattern, MAX_ACTORS + 1)).map(({ id }) => id)
  if (ids.length === 0) return { window, ways: byAction, crowd: undefined }
  const isCrowd = ids.length > MAX_ACTORS
  const byActor = { kinds, actors: isCrowd ? { emailPattern } : { actorIds: ids } }
  return { window, ways: [...byAction, byActor], crowd: isCrowd ? { either, emailPattern } : undefined }
}

/** The next keys of a search from `before` on, newest first. */
export async function findKeys(
  sql: Sql,
  orgId: string,
  { window, ways, crowd }: Search,
  { before, limit }: { before: EntryKey; limit: number },
): Promise<EntryKey[]> {
  const [kinds] = ways.slice(-1).map((way) => way.kinds)
  if (!kinds) return []
  if (crowd) {
    const looked = Math.max(LOOKED_AT_LEAST, LOOKED_FOR_ONE * limit)
    const recent = await listRecentKeys(sql, orgId, { ...window, before, limit }, { ...crowd, looked }, kinds)
    if (recent.length === limit) return recent
  }
  const [months] = await findMonths(sql, orgId)
  if (!months?.oldest || !months.newest) return []
  const until = before.timestamp === NEWEST.timestamp ? window.to : before.timestamp
  const oldest = [months.oldest, monthOf(window.from)].sort().at(-1) as string
  const newest = [months.newest, monthOf(until)].sort()[0] as string
  const found: EntryKey[] = []
  for (const stretch of stretchesOf({ oldest, newest })) {
    const reach = { ...stretch, ...window, before, limit: limit - found.length }
    const lists = await Promise.all(ways.map((way) => keysOf(sql, orgId, reach, way)))
    found.push(...merged(lists).slice(0, reach.limit))
    if (found.length === limit) break
  }
  return found
}

/** By the index that holds what is asked for in one stretch for each kind. */
function keysOf(sql: Sql, orgId: string, reach: Reach, { kinds, actors }: Way): Promise<readonly EntryKey[]> {
  const anyKind = kinds.procedures === null && !kinds.impersonatedOnly && !kinds.failedOnly && !kinds.hideSignIns
  if (actors) {
    return anyKind
      ? listKeysOfActors(sql, orgId, reach, actors)
      : listKeysOfActorKinds(sql, orgId, reach, actors, kinds)
  }
  return anyKind ? listKeys(sql, orgId, reach) : listKeysOfKinds(sql, orgId, reach, kinds)
}

/** Keys that are read at once while a far page is looked for: what is skipped costs time, and no more memory than this. */
const MAX_SKIPPED_AT_ONCE = 10_000

/** A page of a search, with one key more where there is a next one. */
export async function findPageOfKeys(
  sql: Sql,
  orgId: string,
  search: Search,
  { limit, offset }: { limit: number; offset: number },
  signal: AbortSignal,
): Promise<EntryKey[]> {
  let before = NEWEST
  let skip = offset
  while (skip > MAX_SKIPPED_AT_ONCE) {
    signal.throwIfAborted()
    const skipped = await findKeys(sql, orgId, search, { before, limit: MAX_SKIPPED_AT_ONCE })
    const last = skipped.at(-1)
    if (!last || skipped.length < MAX_SKIPPED_AT_ONCE) return []
    before = last
    skip -= MAX_SKIPPED_AT_ONCE
  }
  const keys = await findKeys(sql, orgId, search, { before, limit: skip + limit })
  return keys.slice(skip)
}
