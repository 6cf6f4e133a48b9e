import { count, inRounds, quantile, rounds } from '../compare.ts'
import type { Section } from '../context.ts'
import { LARGEST, LARGEST_SHARE } from '../database.ts'
import { comparePage, lastPage, timeOf } from '../lists.ts'
import { signIn } from '../services.ts'

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

/**
 * The lists of the largest organization: first page against its rows by id in pgbench, first and last page in turns.
 */
export const measureUsers: Section = async function* (context) {
  const { database } = context
  const own = database.size.users / LARGEST_SHARE
  for (const filters of [...COMPARED, ...TIMED]) {
    const client = await signIn(context, 'organization', LARGEST)
    const pathOf = (page: number) => `/v1/users?${new URLSearchParams({ ...filters, page: String(page) })}`
    const last = await lastPage(client, pathOf, own / 10)
    const reads = [1, last].map((page) => () => timeOf(client, pathOf(page)))
    yield {
      what: `GET ${pathOf(1)}, in turns with page ${last}`,
      reference: `${count(own)} of ${count(database.size.users)} users`,
      ...quantile((await inRounds(rounds(20), reads)).flat(), 0.95),
      wanted: { atMost: 100 },
    }
    if (COMPARED.includes(filters)) {
      yield* comparePage({ database, client, path: pathOf(1), atLeast: 0.35, ...SHORT })
    }
  }
}
