import type { PageQuery } from '../../../../proto/http/shapes.ts'
import type { Caller } from '../../../kit/auth/caller.ts'
import type { Sql } from '../../../kit/db/client.ts'
import type { JsonText } from '../../../kit/db/json-text.ts'
import type { Pages, PageWindow, PositionedRow } from '../../../kit/pages/pages.ts'
import { type Held, heldIn, isPlain, onlyHeld, type UserFilters, type Viewer, viewerOf } from '../rules.ts'
import {
  EVERYBODY,
  FEW_MATCHES,
  FEW_USERS,
  type FewRow,
  findMore,
  listFewHolders,
  listFewLike,
  listHolders,
  listHoldersFarAhead,
  listNext,
  listRolesThatGive,
  listUsers,
  listUsersFrom,
} from './queries.ts'

/** A page of the users of the caller's organization, as the API answers it. */
export function readUsers(
  { sql, pages }: { sql: Sql; pages: Pages },
  caller: Caller,
  query: PageQuery & UserFilters,
): Promise<JsonText> {
  const viewer = viewerOf(caller)
  return pages.read(
    { caller, list: 'users', query },
    (window) => findUsers(sql, viewer, query, window),
    isPlain(query) ? (start) => listUsersFrom(sql, viewer, start) : undefined,
  )
}

/** Whichever way finds a page fastest: each gives the same one. */
export function findUsers(
  sql: Sql,
  viewer: Viewer,
  filters: UserFilters,
  window: PageWindow,
): PromiseLike<readonly PositionedRow[]> {
  if (isPlain(filters)) return listUsers(sql, viewer, { ...window })
  const held = onlyHeld(filters)
  return held ? findHolders(sql, viewer, held, window) : search(sql, viewer, filters, window)
}

/** Far on, what is skipped of several roles would have to be sorted: of one it is counted in an index. */
async function findHolders(
  sql: Sql,
  viewer: Viewer,
  held: Held,
  window: PageWindow,
): Promise<readonly PositionedRow[]> {
  if (window.offset > FEW_USERS) {
    const roles = await listRolesThatGive(sql, viewer.orgId, held)
    const [large, ...others] = roles.filter(({ many }) => many)
    if (large && others.length === 0) {
      const small = roles.flatMap(({ id, many }) => (many ? [] : id))
      return listHoldersFarAhead(sql, viewer, { large: large.id, small }, window)
    }
  }
  return listHolders(sql, viewer, held, window)
}

/** The index is one of three letters or digits in a row: without them it would be read from end to end. */
const IN_INDEX = /[\p{L}\p{N}]{3}/u

/**
 * A page that many fit is filled by the next users of the list. Where few fit, few hold the role or the key that is asked
 * for, or few have a name like that; what is left is to look at everybody.
 */
async function search(
  sql: Sql,
  viewer: Viewer,
  filters: UserFilters,
  window: PageWindow,
): Promise<readonly PositionedRow[]> {
  const isFarOn = window.offset + window.limit > FEW_USERS
  if (!isFarOn) {
    const next = await listNext(sql, viewer, filters, { ...window, among: FEW_USERS })
    if (next.length === window.limit) return next
    if ((await findMore(sql, viewer.orgId, window.after)).length === 0) return next
    const few = await searchFew(sql, viewer, filters, window)
    if (few) return few
    // Of a name that many have the page is full before many of them were asked what they hold.
    if (filters.q !== undefined) return listNext(sql, viewer, filters, { ...window, among: EVERYBODY })
  }
  return listUsers(sql, viewer, { ...filters, ...window })
}

async function searchFew(
  sql: Sql,
  viewer: Viewer,
  filters: UserFilters,
  window: PageWindow,
): Promise<readonly PositionedRow[] | undefined> {
  const { q } = filters
  const held = heldIn(filters)
  const holders = held && allOf(await listFewHolders(sql, viewer, held, filters, window), FEW_USERS)
  if (holders || q === undefined || !IN_INDEX.test(q)) return holders
  return allOf(await listFewLike(sql, viewer, { ...filters, q }, window), FEW_MATCHES)
}

/** Undefined where there were more candidates than were looked at. */
function allOf(rows: readonly FewRow[], few: number): readonly PositionedRow[] | undefined {
  if (rows.some(({ candidates }) => candidates > few)) return undefined
  return rows.filter((row) => row.position !== null)
}
