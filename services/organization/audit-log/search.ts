import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import type { Sql } from '../../kit/db/client.ts'
import { fold } from '../../kit/db/fold.ts'
import { contains } from '../../kit/db/search.ts'
import type { TenantSemaphore } from '../../kit/limits/tenant-semaphore.ts'
import { type EntryKey, merged } from '../../kit/pages/entries.ts'
import {
  type ActorFilter,
  type Crowd,
  filterKeys,
  type KindFilter,
  listKeys,
  listKeysOfActorKinds,
  listKeysOfActors,
  listKeysOfKinds,
  listMonths,
  listRecentKeys,
  type Reach,
} from './kinds/queries.ts'
import { isActorLike, listActors } from './queries.ts'
import { stretchesOf, type Window, windowOf } from './rules.ts'

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
  crowd: Crowd | undefined
}

/** Users that are asked for one by one; of more, the newest entries are looked through first. */
const MAX_ACTORS = 200
/** So many entries are looked through for one that is wanted, before the users are asked for one by one. */
const LOOKED_FOR_ONE = 10
const LOOKED_AT_LEAST = 2000
/** The same where the entries of some kinds are read for it. */
const READ_FOR_ONE = 2
/** Of more users it costs more to find out their months than to look into all. */
const FEW_ACTORS = 10

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
  const recent = crowd && (await amongRecent(sql, orgId, { window, ways, crowd }, { before, limit }))
  if (recent) return recent
  const found: EntryKey[] = []
  const reach = { from: window.from, to: before.timestamp < window.to ? before.timestamp : window.to }
  const months = await Promise.all(ways.map((way) => monthsOf(sql, orgId, way)))
  for (const stretch of stretchesOf(months.flat(), reach)) {
    const left = limit - found.length
    const lists = await Promise.all(
      ways.map((way) => keysOf(sql, orgId, { ...stretch, ...window, before, limit: left }, way)),
    )
    found.push(...merged(lists).slice(0, left))
    if (found.length === limit) break
  }
  return found
}

/**
 * Where `q` matches most users, a full page is soon found without asking for each of them. Undefined where it is not:
 * unless there was no more to look at.
 */
async function amongRecent(
  sql: Sql,
  orgId: string,
  { window, ways, crowd }: Search & { crowd: Crowd },
  { before, limit }: { before: EntryKey; limit: number },
): Promise<EntryKey[] | undefined> {
  const kinds = ways.at(-1)?.kinds
  if (!kinds) return undefined
  if (isAnyKind(kinds)) {
    const looked = Math.max(LOOKED_AT_LEAST, LOOKED_FOR_ONE * limit)
    const found = await listRecentKeys(sql, orgId, { ...window, before, limit }, crowd, looked)
    return found.length === limit ? [...found] : undefined
  }
  const read = { window, ways: [{ kinds, actors: undefined }], crowd: undefined }
  const keys = await findKeys(sql, orgId, read, { before, limit: READ_FOR_ONE * limit })
  const found = await filterKeys(sql, orgId, keys, crowd, limit)
  return found.length === limit || keys.length < READ_FOR_ONE * limit ? [...found] : undefined
}

const isAnyKind = ({ procedures, impersonatedOnly, failedOnly, hideSignIns }: KindFilter) =>
  procedures === null && !impersonatedOnly && !failedOnly && !hideSignIns

async function monthsOf(sql: Sql, orgId: string, { kinds, actors }: Way): Promise<string[]> {
  const few = actors && 'actorIds' in actors && actors.actorIds.length <= FEW_ACTORS ? actors.actorIds : ['']
  return (await listMonths(sql, orgId, few, kinds)).map(({ month }) => month)
}

/** By the index that holds what is asked for in one stretch for each kind. */
function keysOf(sql: Sql, orgId: string, reach: Reach, { kinds, actors }: Way): Promise<readonly EntryKey[]> {
  const anyKind = isAnyKind(kinds)
  if (actors) {
    return anyKind
      ? listKeysOfActors(sql, orgId, reach, actors)
      : listKeysOfActorKinds(sql, orgId, reach, actors, kinds)
  }
  return anyKind ? listKeys(sql, orgId, reach) : listKeysOfKinds(sql, orgId, reach, kinds)
}

/** Keys that are read at once while a far page is looked for: what is skipped costs time, and no more memory than this. */
const MAX_SKIPPED_AT_ONCE = 10_000
/** Beyond so many entries a page is a long read. */
const FAR = 100_000

export interface PageOfKeys {
  /** Where the page that was read before ended. */
  before: EntryKey
  limit: number
  offset: number
  /** Nobody reads on for a client that has left. */
  signal: AbortSignal
}

/** A page of a search, with one key more where there is a next one. */
export async function findPageOfKeys(
  { sql, reads }: { sql: Sql; reads: TenantSemaphore },
  orgId: string,
  search: Search,
  { before: start, limit, offset, signal }: PageOfKeys,
): Promise<EntryKey[]> {
  const release = offset > FAR ? reads.acquire(orgId) : () => {}
  try {
    let before = start
    let skip = offset
    while (skip > MAX_SKIPPED_AT_ONCE) {
      signal.throwIfAborted()
      const skipped = await findKeys(sql, orgId, search, { before, limit: MAX_SKIPPED_AT_ONCE })
      const last = skipped.at(-1)
      if (!last || skipped.length < MAX_SKIPPED_AT_ONCE) return []
      before = last
      skip -= MAX_SKIPPED_AT_ONCE
    }
    return (await findKeys(sql, orgId, search, { before, limit: skip + limit })).slice(skip)
  } finally {
    release()
  }
}
