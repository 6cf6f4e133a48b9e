import { timeLimit } from '../compare.ts'
import type { Section } from '../context.ts'
import { comparePage, lastPage, timesOf } from '../lists.ts'
import { signIn } from '../stage/accounts.ts'
import { LARGEST, LARGEST_SHARE } from '../stage/database.ts'
import { USERS } from '../statements.ts'

const REQUESTS = 20
/** There are many filters, so each gets short rounds and fixed numbers of clients. */
const SHORT = { pace: { rounds: 3, seconds: 1 }, connections: [16], clients: [8] }

type Filters = Record<string, string>

/** Every filter by itself, common and rare, and combinations. */
const COMPARED: Filters[] = [
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

/** The lists of the largest organization: first page against its statements in pgbench, first and last page in turns. */
export const measureUsers: Section = async function* (context) {
  const { users } = context.database.size
  const own = users / LARGEST_SHARE
  const data = `${own.toLocaleString('en-US')} of ${users.toLocaleString('en-US')} users`
  for (const filters of [...COMPARED, ...TIMED]) {
    const client = await signIn(context, 'organization', LARGEST)
    const pathOf = (page: number) => `/v1/users?${new URLSearchParams({ ...filters, page: String(page) })}`
    const last = await lastPage(client, pathOf, own / 10)
    const paths = Array.from({ length: REQUESTS }, () => [...new Set([pathOf(1), pathOf(last)])])
    const times = await timesOf(client, paths.flat())
    const what = `GET ${pathOf(1)}, in turns with page ${last}`
    yield timeLimit({ what, times, data, statistic: 'p95', atMostMs: 100 })
    if (COMPARED.includes(filters)) {
      const page = { list: USERS, client, path: pathOf(1), atLeast: 0.35 }
      yield* comparePage({ ...context, ...SHORT }, { ...page, ...SHORT })
    }
  }
}
