import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import type { ApiClient } from '../../../services/kit/testing/client.ts'
import { listUsers } from '../../../services/organization/users/queries.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Bench } from '../bench.ts'
import { type Figure, median, ratioFigure } from '../figures.ts'
import { hasPgbench } from '../load/pgbench.ts'
import { databaseSide, serverSide } from '../load/sides.ts'
import { inRounds } from '../rounds.ts'
import { signIn } from '../stage/people.ts'
import { forPgbench, requireSameStatement, statementOf } from '../stage/statements.ts'
import { ensureUsers, LARGEST_SHARE, signInToLargest } from '../stage/users.ts'

const PATH = '/v1/users'
const FIRST_PAGE = { limit: 11, offset: 0 } as const
const REQUESTS = 20

/** The first page of an administrator, against the limit of the database; then every filter in the largest organization. */
export async function measureUsers(bench: Bench): Promise<Figure[]> {
  const { database, services, account, userCount, pace, trial, progress } = bench
  const { accessToken = '' } = await signIn(services.identity.url, account)
  const { org, sub } = decodeJwt(accessToken)
  const viewer = { orgId: String(org), userId: String(sub), seesAll: true }
  await ensureUsers(database, { orgId: viewer.orgId, users: userCount, progress })
  const figures: Figure[] = []
  if (hasPgbench()) {
    const url = serviceUrl(database.ownerUrl, 'organization', database.secrets)
    const statement = await statementOf(url, (sql) => listUsers(sql, viewer, FIRST_PAGE))
    const request = { path: PATH, headers: { Authorization: `Bearer ${accessToken}` } }
    const ours = await serverSide({ port: services.organization.port, request }, trial)
    const script = join(database.folder, 'users.sql')
    const variables = { ...FIRST_PAGE, org: viewer.orgId, me: viewer.userId, all: 't' }
    await writeFile(script, forPgbench(statement, variables))
    const side = await databaseSide({ url, script, variables }, trial)
    await requireSameStatement(database.ownerUrl, statement, {
      pgbench: () => side.run(2),
      organization: () => ours.run(2),
    })
    const rates = await inRounds({ ours: ours.run, pgbench: side.run }, pace)
    figures.push(
      ratioFigure({
        what: `GET ${PATH} ÷ pgbench`,
        ours: rates.ours,
        reference: rates.pgbench,
        against: `pgbench, ${side.clients} clients`,
        atLeast: 0.35,
      }),
    )
  }
  return [...figures, ...(await inLargest(bench))]
}

/** One request at a time over the organization that has a tenth of all users. */
async function inLargest({ database, services, userCount, progress }: Bench): Promise<Figure[]> {
  const client = await signInToLargest(database, services.identity.url)
  client.url = services.organization.url
  const users = userCount / LARGEST_SHARE
  const last = String(Math.floor(users / 10))
  const roles = await client.get<{ items: { id: string; name: string }[] }>('/v1/roles')
  const roleId = roles.body.items.find(({ name }) => name === 'Drawing office')?.id ?? ''
  const searches: Record<string, string>[] = [
    {},
    { page: last },
    { q: 'a' },
    { q: 'ada berg' },
    { q: 'nobody is called so' },
    { q: 'ju', page: String(Math.floor(users / 250)) },
    { active: 'false' },
    { admin: 'true' },
    { admin: 'false', page: String(Math.floor(users / 20)) },
    { permission: 'part:create' },
    { permission: 'part:create', page: String(Math.floor(users / 20)) },
    { roleId },
    { roleId, q: 'ada', active: 'true', permission: 'part:update' },
  ]
  const figures: Figure[] = []
  for (const search of searches) {
    const ms = await medianOf(client, search)
    const name = new URLSearchParams(search).toString()
    progress(`Users: ${name || 'everybody'} ${ms.toFixed(1)} ms`)
    figures.push({
      what: `GET ${PATH}${name === '' ? '' : `?${name}`}`,
      ours: `${ms.toFixed(1)} ms in the middle`,
      reference: `${users.toLocaleString('en-US')} of ${userCount.toLocaleString('en-US')} users`,
      result: '',
      wanted: '',
      met: undefined,
    })
  }
  return figures
}

async function medianOf(client: ApiClient, search: Record<string, string>): Promise<number> {
  const times: number[] = []
  for (let request = 0; request < REQUESTS; request++) {
    const startedMs = performance.now()
    const answer = await client.get(`${PATH}?${new URLSearchParams(search)}`)
    if (answer.status !== 200) throw new Error(`users: ${answer.status} ${answer.text}`)
    times.push(performance.now() - startedMs)
  }
  return median(times)
}
