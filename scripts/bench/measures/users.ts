import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import type { PageQuery } from '../../../proto/http/shapes.ts'
import { PERMISSIONS } from '../../../proto/permissions.ts'
import type { Caller } from '../../../services/kit/auth/caller.ts'
import { createLog } from '../../../services/kit/log/log.ts'
import { Pages } from '../../../services/kit/pages/pages.ts'
import { readUsers } from '../../../services/organization/users/list/list.ts'
import type { UserFilters } from '../../../services/organization/users/rules.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Bench } from '../bench.ts'
import { type Figure, median, ratioFigure } from '../figures.ts'
import { hasPgbench } from '../load/pgbench.ts'
import { databaseSide, serverSide } from '../load/sides.ts'
import { inRounds } from '../rounds.ts'
import { signIn } from '../stage/people.ts'
import { forPgbench, requireSameStatements, type SentStatement, transactionOf } from '../stage/statements.ts'
import { ensureLargestAccount, ensureUsers, LARGEST_SHARE } from '../stage/users.ts'

const PATH = '/v1/users'
const PAGE_SIZE = 10
const REQUESTS = 20
const JUMP_MS = 100
const WANTED = 0.35
/** There are many lists: each is measured for a few seconds alone. */
const PACE = { rounds: 3, seconds: 2 }
const TRIAL = { rounds: 1, seconds: 2 }
const CONNECTIONS = [4, 16]
const CLIENTS = [2, 8]

/** Every filter by itself, common and rare, and what they give together. */
const LISTS: UserFilters[] = [
  {},
  { q: 'lars' },
  { q: 'ju' },
  { q: '77a7' },
  { q: 'nobody is called so' },
  { permission: 'part:create' },
  { permission: 'org:admin' },
  { q: 'lars', permission: 'part:create' },
  { q: 'lars', permission: 'org:admin' },
  { q: 'ju', permission: 'part:create' },
  { q: '77a7', permission: 'part:create' },
]

/** Filters for whose time nothing but a bound is wanted. */
const OTHERS: UserFilters[] = [
  { active: false },
  { admin: true },
  { admin: false },
  { q: 'ada', active: true, permission: 'part:update' },
]

/**
 * First and last pages of the lists of the largest organization, each against the limit of the database: the statements that
 * such a request sends, one after the other.
 */
export async function measureUsers(bench: Bench): Promise<Figure[]> {
  const { database, services, account, userCount, progress } = bench
  const { accessToken = '' } = await signIn(services.identity.url, account)
  await ensureUsers(database, { orgId: String(decodeJwt(accessToken).org), users: userCount, progress })
  const administrator = await ensureLargestAccount(database, services.identity.url)
  const newSession = async () => {
    const client = await signIn(services.identity.url, administrator)
    client.url = services.organization.url
    return client
  }
  const client = await newSession()
  const figures: Figure[] = []
  for (const filters of [...LISTS, ...OTHERS]) {
    const last = await lastPage(bench, client, filters)
    figures.push(
      await jumped(bench, client, filters, 1),
      ...(last > 1 ? [await jumped(bench, await newSession(), filters, last)] : []),
    )
    if (!hasPgbench() || OTHERS.includes(filters)) continue
    figures.push(await againstDatabase(bench, client, filters, 1))
    if (last > 1) figures.push(await againstDatabase(bench, client, filters, last))
  }
  return figures
}

const pathOf = (filters: UserFilters, page: number) => {
  const sent = Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)])
  const search = new URLSearchParams(sent)
  if (page > 1) search.set('page', String(page))
  return search.size === 0 ? PATH : `${PATH}?${search}`
}

interface Page {
  items: unknown[]
  hasMore: boolean
}

async function read(client: ApiClient, filters: UserFilters, page: number): Promise<{ body: Page; ms: number }> {
  const startedMs = performance.now()
  const { status, body, text } = await client.get<Page>(pathOf(filters, page))
  if (status !== 200) throw new Error(`users: ${status} ${text}`)
  return { body, ms: performance.now() - startedMs }
}

/** The last page that holds anybody: nearer and nearer. */
async function lastPage({ userCount }: Bench, client: ApiClient, filters: UserFilters): Promise<number> {
  let [held, empty] = [1, userCount / LARGEST_SHARE / PAGE_SIZE + 2]
  while (empty - held > 1) {
    const middle = Math.floor((held + empty) / 2)
    if ((await read(client, filters, middle)).body.items.length > 0) held = middle
    else empty = middle
  }
  return held
}

/** One request at a time; a session that has not read the page before has to be counted there. */
async function jumped(
  { userCount, progress }: Bench,
  client: ApiClient,
  filters: UserFilters,
  page: number,
): Promise<Figure> {
  const times: number[] = []
  for (let request = 0; request < REQUESTS; request++) times.push((await read(client, filters, page)).ms)
  const ms = median(times)
  progress(`Users: ${pathOf(filters, page)} ${ms.toFixed(1)} ms`)
  return {
    what: `GET ${pathOf(filters, page)}`,
    ours: `${Math.max(...times).toFixed(1)} ms at most`,
    reference: `${(userCount / LARGEST_SHARE).toLocaleString('en-US')} of ${userCount.toLocaleString('en-US')} users`,
    result: `${ms.toFixed(1)} ms in the middle`,
    wanted: `≤ ${JUMP_MS} ms`,
    met: ms <= JUMP_MS,
  }
}

/** The same page again and again, by who has read the one before. */
async function againstDatabase(bench: Bench, client: ApiClient, filters: UserFilters, page: number): Promise<Figure> {
  const { database, services, pace, trial } = bench
  if (page > 1) await read(client, filters, page - 1)
  const url = serviceUrl(database.ownerUrl, 'organization', database.secrets)
  const statements = await statementsOf(url, callerOf(client), { ...filters, page, pageSize: PAGE_SIZE })
  const script = join(database.folder, 'users.sql')
  const variables = variablesOf(statements)
  await writeFile(script, statements.map((statement) => `${forPgbench(statement, variables).trim()};\n`).join(''))
  const isPlain = Object.keys(filters).length === 0 && page === 1
  const request = { path: pathOf(filters, page), headers: { Authorization: `Bearer ${client.accessToken}` } }
  const { port } = services.organization
  const connections = { connections: CONNECTIONS }
  const ours = await serverSide({ port, request, ...(isPlain ? {} : connections) }, isPlain ? trial : TRIAL)
  const side = await databaseSide(
    { url, script, variables, ...(isPlain ? {} : { numbers: CLIENTS }) },
    isPlain ? trial : TRIAL,
  )
  await requireSameStatements(database.ownerUrl, statements, {
    pgbench: () => side.run(1),
    organization: () => ours.run(1),
  })
  const rates = await inRounds({ ours: ours.run, pgbench: side.run }, isPlain ? pace : PACE)
  return ratioFigure({
    what: `GET ${pathOf(filters, page)} ÷ pgbench`,
    ours: rates.ours,
    reference: rates.pgbench,
    against: `pgbench, ${side.clients} clients${statements.length === 1 ? '' : `, ${statements.length} statements`}`,
    atLeast: WANTED,
  })
}

function callerOf({ accessToken = '' }: ApiClient): Caller {
  const { org, sub, sid } = decodeJwt(accessToken)
  const permissions = new Set(PERMISSIONS)
  const [orgId, userId, sessionId] = [String(org), String(sub), String(sid)]
  return { orgId, userId, sessionId, permissions, orgRoles: new Set(), operator: false }
}

/** What a request sends to Postgres: its anchor is there where the page before was read; its own is written behind it. */
async function statementsOf(url: string, caller: Caller, query: UserFilters & PageQuery): Promise<SentStatement[]> {
  const log = createLog({ service: 'bench', version: '0', level: 'silent' })
  const sent = await transactionOf(url, (sql) =>
    readUsers({ sql, pages: new Pages({ sql, clock: Date.now, log }) }, caller, query),
  )
  return sent.filter(({ text }) => !text.includes('insert into page_anchors'))
}

/** Each value under a name of its own, whichever statement it goes with. */
function variablesOf(statements: readonly SentStatement[]): Record<string, string> {
  const values = new Set(statements.flatMap(({ parameters }) => parameters.map(String)))
  return Object.fromEntries([...values].map((value, number) => [`v${number}`, value]))
}
