import { decodeJwt } from 'jose'
import type { ApiClient } from '../../../services/testing/client.ts'
import type { Context } from '../context.ts'
import { type Figure, median } from '../figures.ts'
import { ensureLargestAccount, signIn } from '../stage/accounts.ts'
import { ensureUsers, LARGEST_SHARE } from '../stage/records.ts'
import { USERS_TABLES } from '../statements.ts'
import { pageAgainstDatabase, readPage } from './lists.ts'

const PAGE_SIZE = 10
const REQUESTS = 20
const JUMP_MS = 100
const WANTED = 0.35
/** There are many lists, so each gets short rounds and fixed numbers of clients. */
const SHORT = { pace: { rounds: 3, seconds: 1 }, connections: [16], clients: [8] }

type Filters = Record<string, string>

/** Every filter by itself, common and rare, and combinations. */
const LISTS: Filters[] = [
  {},
  { q: 'lars' },
  { q: 'ju' },
  { q: '77a7' },
  { q: 'no user is called so' },
  { permission: 'part:create' },
  { permission: 'org:admin' },
  { q: 'lars', permission: 'part:create' },
  { q: 'lars', permission: 'org:admin' },
  { q: 'ju', permission: 'part:create' },
  { q: '77a7', permission: 'part:create' },
]

/** Filters that have a wanted time, but no wanted ratio. */
const TIMED: Filters[] = [
  { active: 'false' },
  { admin: 'true' },
  { admin: 'false' },
  { q: 'ada', active: 'true', permission: 'part:update' },
]

/** First and last pages of the lists of the largest organization, each against its statements in pgbench. */
export async function measureUsers(context: Context): Promise<Figure[]> {
  const { database, services, account, userCount, progress } = context
  const { accessToken = '' } = await signIn(services.identity.url, account)
  await ensureUsers(database, { orgId: String(decodeJwt(accessToken).org), count: userCount, progress })
  const administrator = await ensureLargestAccount(database, services.identity.url)
  const newSession = () => signIn(services.identity.url, administrator, services.organization.url)
  const client = await newSession()
  const figures: Figure[] = []
  for (const filters of [...LISTS, ...TIMED]) {
    const last = await lastPage(context, client, filters)
    for (const page of last > 1 ? [1, last] : [1]) {
      figures.push(await jumped(context, await newSession(), pathOf(filters, page)))
      if (TIMED.includes(filters)) continue
      if (page > 1) await readPage(client, pathOf(filters, page - 1))
      const isPlain = filters === LISTS[0] && page === 1
      const path = pathOf(filters, page)
      const list = { service: 'organization', tables: USERS_TABLES, client, path, atLeast: WANTED } as const
      figures.push(
        ...(isPlain
          ? await pageAgainstDatabase(context, list)
          : await pageAgainstDatabase({ ...context, pace: SHORT.pace }, { ...list, ...SHORT })),
      )
    }
  }
  return figures
}

function pathOf(filters: Filters, page: number): string {
  const search = new URLSearchParams(filters)
  if (page > 1) search.set('page', String(page))
  return search.size === 0 ? '/v1/users' : `/v1/users?${search}`
}

/** The last page with users, by bisection. */
async function lastPage({ userCount }: Context, client: ApiClient, filters: Filters): Promise<number> {
  let [held, empty] = [1, userCount / LARGEST_SHARE / PAGE_SIZE + 2]
  while (empty - held > 1) {
    const middle = Math.floor((held + empty) / 2)
    if ((await readPage(client, pathOf(filters, middle))).body.items.length > 0) held = middle
    else empty = middle
  }
  return held
}

/** One request at a time, in a session that has not read the page before. */
async function jumped({ userCount, progress }: Context, client: ApiClient, path: string): Promise<Figure> {
  const times: number[] = []
  for (let request = 0; request < REQUESTS; request++) times.push((await readPage(client, path)).ms)
  const ms = median(times)
  progress(`Users: ${path} ${ms.toFixed(1)} ms`)
  return {
    what: `GET ${path}`,
    ours: `${Math.max(...times).toFixed(1)} ms at most`,
    reference: `${(userCount / LARGEST_SHARE).toLocaleString('en-US')} of ${userCount.toLocaleString('en-US')} users`,
    result: `${ms.toFixed(1)} ms median`,
    wanted: `≤ ${JUMP_MS} ms`,
    met: ms <= JUMP_MS,
  }
}
