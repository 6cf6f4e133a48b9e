import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import { periodOf } from '../../../proto/http/times.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import type { Sql } from '../../kit/db/client.ts'
import { contains } from '../../kit/db/conditions.ts'
import { fold } from '../../kit/db/fold.ts'
import { mergeNewestFirst, positionOfTime, type TimeKey, timeKeyAt } from '../../kit/pagination/keysets.ts'
import { ALL, pageOrNothing, type Search } from '../../kit/pagination/search.ts'
import {
  type ActorFilter,
  type Branch,
  filterKeys,
  isAnyKind,
  type KeyRange,
  type KindFilter,
  listKeysByKind,
  listRecentKeys,
} from './key-queries.ts'
import { listActors } from './queries.ts'
import { monthRangesOf } from './rules.ts'

/** The most users that are searched by id. If `q` matches more, the next entries are scanned first. */
const MAX_ACTORS = 200
/** Entries that are scanned: at least so many of any kind, and so many for each requested one. */
const SCANNED = { atLeast: 2000, perEntry: 10, perEntryOfKind: 2 }
/** Keys that one statement skips. This bounds the memory for a page with a high number. */
const MAX_SKIPPED_AT_ONCE = 10_000

/**
 * The search for the keys of entries, newest first. The small table of kinds is the index; where `q` matches many
 * users, the next entries probably match, so they are scanned first.
 */
export async function searchFor(sql: Sql, orgId: string, filters: AuditFilters, now: string): Promise<Search<TimeKey>> {
  const period = periodOf(filters)
  const branches = await branchesOf(sql, orgId, filters)
  const newestKeys = (on: Sql, range: KeyRange) =>
    isUnfiltered(branches) ? listRecentKeys(on, orgId, range) : findKeysByKind(on, orgId, range, branches, now)
  const index: Search<TimeKey>['index'] = async (on, { after, offset, limit }) => {
    const isNear = offset <= MAX_SKIPPED_AT_ONCE
    const range = { ...period, before: timeKeyAt(after), limit: isNear ? offset + limit : MAX_SKIPPED_AT_ONCE }
    const keys = await newestKeys(on, range)
    if (isNear) return { rows: keys.slice(offset), rest: undefined }
    const last = keys[MAX_SKIPPED_AT_ONCE - 1]
    return { rows: [], rest: last && { after: positionOfTime(last), offset: offset - MAX_SKIPPED_AT_ONCE, limit } }
  }
  return {
    scans: emailPatternOf(branches) === undefined ? [] : [SCANNED.atLeast],
    scan: async (on, { after, offset, limit }) => {
      const range = { ...period, before: timeKeyAt(after), limit: offset + limit }
      const { keys, isEnd } = await scanKeys(on, orgId, range, branches, now)
      return pageOrNothing(keys.slice(offset), { after, offset, limit }, isEnd ? ALL : SCANNED.atLeast)
    },
    index,
    longStep: index,
  }
}

/** Entries match if one of these does: `q` by procedure, and `q` by the address of the actor. */
async function branchesOf(sql: Sql, orgId: string, filters: AuditFilters): Promise<readonly Branch[]> {
  const { q, procedure, actorId } = filters
  const kinds: KindFilter = {
    procedures: procedure === undefined ? null : [procedure],
    impersonatedOnly: filters.impersonatedOnly ?? false,
    failedOnly: filters.failedOnly ?? false,
    hideSignIns: filters.hideSignIns ?? false,
  }
  const ofActor: ActorFilter | undefined = actorId === undefined ? undefined : { actorIds: [actorId] }
  if (q === undefined) return [{ kinds, actors: ofActor }]

  const matching = PROCEDURES.filter((name) => fold(name).includes(fold(q)))
  const procedures = procedure === undefined ? matching : matching.filter((name) => name === procedure)
  const byProcedure: Branch[] = procedures.length > 0 ? [{ kinds: { ...kinds, procedures }, actors: ofActor }] : []
  // `q` matches the procedure of the filter, so it matches all of its entries.
  if (procedure !== undefined && procedures.length > 0) return byProcedure
  const emailPattern = contains(q)
  const rows = await listActors(sql, orgId, { emailPattern, actorId }, MAX_ACTORS + 1)
  if (rows.length === 0) return byProcedure
  // `q` matches the actor of the filter, so it matches all of their entries.
  if (ofActor) return [{ kinds, actors: ofActor }]
  const actors = rows.length > MAX_ACTORS ? { emailPattern } : { actorIds: rows.map(({ id }) => id) }
  return [...byProcedure, { kinds, actors }]
}

const isUnfiltered = ([first, ...others]: readonly Branch[]) =>
  first !== undefined && others.length === 0 && first.actors === undefined && isAnyKind(first.kinds)

/** The pattern of the addresses of many users. */
function emailPatternOf(branches: readonly Branch[]): string | undefined {
  const actors = branches.at(-1)?.actors
  return actors && 'emailPattern' in actors ? actors.emailPattern : undefined
}

/** Keys of those of the next entries, without `q`, that match. */
async function scanKeys(sql: Sql, orgId: string, range: KeyRange, branches: readonly Branch[], now: string) {
  const { limit } = range
  const { kinds } = branches.at(-1) as Branch
  const procedures = branches.flatMap((branch) => (branch.actors ? [] : (branch.kinds.procedures ?? [])))
  const matching = { procedures, emailPattern: emailPatternOf(branches) ?? '' }
  if (isAnyKind(kinds)) {
    const recent = { ...range, limit: Math.max(SCANNED.atLeast, SCANNED.perEntry * limit) }
    return { keys: await filterKeys(sql, orgId, recent, matching, limit), isEnd: false }
  }
  const count = SCANNED.perEntryOfKind * limit
  const keys = await findKeysByKind(sql, orgId, { ...range, limit: count }, [{ kinds, actors: undefined }], now)
  return { keys: await filterKeys(sql, orgId, keys, matching, limit), isEnd: keys.length < count }
}

/** Reads ranges of more and more months: a common filter needs one range, a rare one few statements. */
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
    const lists: TimeKey[][] = []
    // One after the other, because the read has one connection of the share of its organization.
    for (const branch of branches) lists.push(await listKeysByKind(sql, orgId, { ...range, limit }, months, branch))
    found.push(...mergeNewestFirst(lists).slice(0, limit))
    if (found.length === range.limit) break
  }
  return found
}
