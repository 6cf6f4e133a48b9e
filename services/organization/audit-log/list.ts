import type { AuditFilters } from '../../../proto/http/organization/audit-log.ts'
import type { PageQuery } from '../../../proto/http/shapes.ts'
import { type Period, periodOf } from '../../../proto/http/times.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import type { Sql } from '../../kit/db/client.ts'
import { fold } from '../../kit/db/fold.ts'
import { contains } from '../../kit/db/like.ts'
import { mergeNewestFirst, type TimeKey } from '../../kit/pagination/keysets.ts'
import {
  type ActorFilter,
  filterKeys,
  isAnyKind,
  type KeyRange,
  type KindFilter,
  listKeysByKind,
  listRecentKeys,
} from './key-queries.ts'
import { listActors } from './queries.ts'
import { monthRangesOf } from './rules.ts'

/** Entries that match by kind and actor. */
interface Branch {
  kinds: KindFilter
  actors: ActorFilter | undefined
}

/** Entries of some kinds that are of one of the procedures, or by a user whose address matches. */
interface ManyActors {
  kinds: KindFilter
  procedures: readonly string[]
  emailPattern: string
}

/** Filters, resolved to existing procedures and users. */
export interface Search {
  period: Period
  /** An entry matches if one of them matches: `q` by procedure, and `q` by actor. */
  branches: readonly Branch[]
  /** Set where `q` matches so many users that the next entries probably match. */
  manyActors: ManyActors | undefined
  now: string
}

/** The most users that are searched by id. If `q` matches more, the next entries are filtered first. */
const MAX_ACTORS = 200
/** Entries of any kind that are filtered per requested entry, and their minimum. */
const FILTERED_PER_ENTRY = 10
const MIN_FILTERED = 2000
/** Entries of some kinds that are filtered per requested entry. */
const FILTERED_BY_KIND_PER_ENTRY = 2

/** Whether a filter other than the period is set. */
export const isFiltered = ({ from, to, page, pageSize, ...filters }: AuditFilters & Partial<PageQuery>) =>
  Object.values(filters).some((value) => value !== undefined)

/** Resolves `q` to the procedures and users whose name or address contains it. */
export async function searchFor(sql: Sql, orgId: string, filters: AuditFilters, now: string): Promise<Search> {
  const { q, procedure, actorId } = filters
  const kinds: KindFilter = {
    procedures: procedure === undefined ? null : [procedure],
    impersonatedOnly: filters.impersonatedOnly ?? false,
    failedOnly: filters.failedOnly ?? false,
    hideSignIns: filters.hideSignIns ?? false,
  }
  const ofActor: ActorFilter | undefined = actorId === undefined ? undefined : { actorIds: [actorId] }
  const search = { period: periodOf(filters), manyActors: undefined, now }
  if (q === undefined) return { ...search, branches: [{ kinds, actors: ofActor }] }

  const matching = PROCEDURES.filter((name) => fold(name).includes(fold(q)))
  const procedures = procedure === undefined ? matching : matching.filter((name) => name === procedure)
  const byProcedure: Branch[] = procedures.length > 0 ? [{ kinds: { ...kinds, procedures }, actors: ofActor }] : []
  // `q` matches the procedure of the filter, so it matches all of its entries.
  if (procedure !== undefined && procedures.length > 0) return { ...search, branches: byProcedure }
  const emailPattern = contains(q)
  const rows = await listActors(sql, orgId, { emailPattern, actorId }, MAX_ACTORS + 1)
  if (rows.length === 0) return { ...search, branches: byProcedure }
  // `q` matches the actor of the filter, so it matches all of their entries.
  if (ofActor) return { ...search, branches: [{ kinds, actors: ofActor }] }
  const isMany = rows.length > MAX_ACTORS
  const actors = isMany ? { emailPattern } : { actorIds: rows.map(({ id }) => id) }
  const manyActors = isMany ? { kinds, procedures, emailPattern } : undefined
  return { ...search, branches: [...byProcedure, { kinds, actors }], manyActors }
}

/**
 * The next keys of a search, newest first. Every strategy finds the same keys:
 * - `listRecentKeys`: the unfiltered log;
 * - `filterKeys`: where `q` matches many users, the next entries without `q`, filtered one after the other;
 * - `listKeysByKind`: every other filter, and where the filtered entries do not fill the page.
 */
export async function findKeys(
  sql: Sql,
  orgId: string,
  search: Search,
  next: { before: TimeKey; limit: number },
): Promise<readonly TimeKey[]> {
  const { period, branches, manyActors, now } = search
  const range = { ...period, ...next }
  if (isUnfiltered(branches)) return listRecentKeys(sql, orgId, range)
  if (manyActors) {
    const found = await filterNextKeys(sql, orgId, search, range, manyActors)
    if (found) return found
  }
  return findKeysByKind(sql, orgId, range, branches, now)
}

/** The keys of those of the next entries that match the filter. Undefined if too few do. */
async function filterNextKeys(
  sql: Sql,
  orgId: string,
  search: Search,
  range: KeyRange,
  filter: ManyActors,
): Promise<readonly TimeKey[] | undefined> {
  const { limit } = range
  if (isAnyKind(filter.kinds)) {
    const recent = { ...range, limit: Math.max(MIN_FILTERED, FILTERED_PER_ENTRY * limit) }
    const found = await filterKeys(sql, orgId, recent, filter, limit)
    return found.length === limit ? found : undefined
  }
  const among = FILTERED_BY_KIND_PER_ENTRY * limit
  const branches = [{ kinds: filter.kinds, actors: undefined }]
  const keys = await findKeysByKind(sql, orgId, { ...range, limit: among }, branches, search.now)
  const found = await filterKeys(sql, orgId, keys, filter, limit)
  return found.length === limit || keys.length < among ? found : undefined
}

const isUnfiltered = ([first, ...others]: readonly Branch[]) =>
  first !== undefined && others.length === 0 && first.actors === undefined && isAnyKind(first.kinds)

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
    const lists = await Promise.all(
      branches.map((branch) => listKeysByKind(sql, orgId, { ...range, limit }, months, branch)),
    )
    found.push(...mergeNewestFirst(lists).slice(0, limit))
    if (found.length === range.limit) break
  }
  return found
}

/** Keys that one statement skips. This bounds the memory for a page with a high number. */
const MAX_SKIPPED_AT_ONCE = 10_000

interface KeyWindow {
  before: TimeKey
  limit: number
  offset: number
  /** Aborted when the client has disconnected. */
  signal: AbortSignal
}

/** The keys of a page. */
export async function findPageOfKeys(
  sql: Sql,
  orgId: string,
  search: Search,
  { before: start, limit, offset, signal }: KeyWindow,
): Promise<readonly TimeKey[]> {
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
}
