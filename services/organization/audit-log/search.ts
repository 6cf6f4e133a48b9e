import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import type { Sql } from '../../kit/db/client.ts'
import { fold } from '../../kit/db/fold.ts'
import { contains } from '../../kit/db/search.ts'
import { mergeNewestFirst, type TimeKey } from '../../kit/pagination/keysets.ts'
import type { Turns } from '../../kit/turns/turns.ts'
import {
  type ActorFilter,
  isAnyKind,
  type KeyRange,
  type KindFilter,
  listKeysByKind,
  listRecentKeys,
  type RecentFilter,
} from './keys.ts'
import { listActors } from './queries.ts'
import { monthRangesOf, type Window, windowOf } from './rules.ts'

/** Entries that match by kind and actor. */
interface Branch {
  kinds: KindFilter
  actors: ActorFilter | undefined
}

/** Filters, resolved against the procedures and users that exist. */
export interface Search {
  window: Window
  /** An entry matches if one of them matches: `q` by procedure, and `q` by actor. */
  branches: readonly Branch[]
  /** Set where `q` matches so many users that recent entries probably match. */
  recent: RecentFilter | undefined
  now: string
}

/** Users that are searched by id; where `q` matches more, the newest entries are filtered first. */
const MAX_ACTORS = 200
/** Recent entries that are filtered for each wanted one, and at least. */
const RECENT_FOR_EACH = 10
const MIN_RECENT = 2000

export async function searchFor(sql: Sql, orgId: string, filters: AuditFilters, now: string): Promise<Search> {
  const { q, procedure, actorId } = filters
  const kinds: KindFilter = {
    procedures: procedure === undefined ? null : [procedure],
    impersonatedOnly: filters.impersonatedOnly ?? false,
    failedOnly: filters.failedOnly ?? false,
    hideSignIns: filters.hideSignIns ?? false,
  }
  const ofActor: ActorFilter | undefined = actorId === undefined ? undefined : { actorIds: [actorId] }
  const search = { window: windowOf(filters), recent: undefined, now }
  if (q === undefined) return { ...search, branches: [{ kinds, actors: ofActor }] }

  const matching = PROCEDURES.filter((name) => fold(name).includes(fold(q)))
  const procedures = procedure === undefined ? matching : matching.filter((name) => name === procedure)
  const byProcedure: Branch[] = procedures.length > 0 ? [{ kinds: { ...kinds, procedures }, actors: ofActor }] : []
  // `q` matches the one procedure that is wanted, so it matches all entries of it.
  if (procedure !== undefined && procedures.length > 0) return { ...search, branches: byProcedure }
  const emailPattern = contains(q)
  const rows = await listActors(sql, orgId, { emailPattern, actorId }, MAX_ACTORS + 1)
  if (rows.length === 0) return { ...search, branches: byProcedure }
  // All entries of the one actor that is wanted match.
  if (ofActor) return { ...search, branches: [{ kinds, actors: ofActor }] }
  const isMany = rows.length > MAX_ACTORS
  const actors = isMany ? { emailPattern } : { actorIds: rows.map(({ id }) => id) }
  const recent = isMany ? { kinds, procedures, actors } : undefined
  return { ...search, branches: [...byProcedure, { kinds, actors }], recent }
}

/**
 * The next keys of a search, newest first. Two strategies find the same keys:
 * - recent entries, for the unfiltered log, and where `q` matches many users;
 * - the kinds of entry that exist, for all other filters, and where the recent entries do not fill the page.
 */
export async function findKeys(
  sql: Sql,
  orgId: string,
  { window, branches, recent, now }: Search,
  next: { before: TimeKey; limit: number },
): Promise<readonly TimeKey[]> {
  const range = { ...window, ...next }
  const { limit } = next
  if (isUnfiltered(branches)) return listRecentKeys(sql, orgId, range, limit)
  if (recent) {
    const found = await listRecentKeys(sql, orgId, range, Math.max(MIN_RECENT, RECENT_FOR_EACH * limit), recent)
    if (found.length === limit) return found
  }
  return findKeysByKind(sql, orgId, range, branches, now)
}

const isUnfiltered = ([first, ...others]: readonly Branch[]) =>
  first !== undefined && others.length === 0 && first.actors === undefined && isAnyKind(first.kinds)

/** Reads a growing number of months, so that a common filter costs one month, and a rare one few statements. */
async function findKeysByKind(
  sql: Sql,
  orgId: string,
  range: KeyRange,
  branches: readonly Branch[],
  now: string,
): Promise<TimeKey[]> {
  const found: TimeKey[] = []
  for (const months of monthRangesOf(range, range.before.timestamp, now)) {
    const limit = range.limit - found.length
    const lists = await Promise.all(
      branches.map((branch) => listKeysByKind(sql, orgId, { ...range, limit }, months, branch)),
    )
    found.push(...mergeNewestFirst(lists).slice(0, limit))
    if (found.length === range.limit) break
  }
  return found
}

/** Keys that are skipped in one statement: a far page takes time, but no more memory than this. */
const MAX_SKIPPED_AT_ONCE = 10_000
/** Offsets above this count as long reads. */
const LONG_READ_OFFSET = 100_000

export interface KeyWindow {
  before: TimeKey
  limit: number
  offset: number
  /** Aborted when the client has disconnected. */
  signal: AbortSignal
}

/** The keys of a page. */
export async function findPageOfKeys(
  { sql, reads }: { sql: Sql; reads: Turns },
  orgId: string,
  search: Search,
  { before: start, limit, offset, signal }: KeyWindow,
): Promise<readonly TimeKey[]> {
  const leave = offset > LONG_READ_OFFSET ? reads.take(orgId) : () => {}
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
    leave()
  }
}
