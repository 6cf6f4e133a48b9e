import { afterAll, expect, test } from 'bun:test'
import { FileClient } from '../../../testing/files/file-client.ts'
import { headOf, plainSource } from '../../../testing/files/plain-source.ts'
import { marketplaceWithWorkers } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'

const MAX_PENDING = 3
const market = await marketplaceWithWorkers(['sourcing'], {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  FILES_PENDING_MAX: String(MAX_PENDING),
  IMPORTS_AT_ONCE: '1',
})
let started = 0
const source = plainSource({
  '/silent': (socket) => {
    started += 1
    socket.write(headOf(5))
  },
})
afterAll(() => source.close())

async function importer() {
  const { administrator } = await market.organization(['IP_OWNER'])
  const own = new FileClient(market, administrator.client)
  const parts = [await own.createPart(), await own.createPart()]
  const input = { name: 'a', group: 'document', sasUrl: `${source.url}/silent` }
  const begin = (part = parts[0]) =>
    own.client.post<{ fileId: string; code: string }>(`/v1/parts/${part}/import-file`, input)
  return { own, parts, begin }
}

test('a running import keeps its slot when the worker fails and restarts', async () => {
  await (await importer()).begin()
  await until(() => started === 1, { withinMs: 10_000, what: 'the first import' })
  const { owner } = market.db
  /** pg_stat_activity shows the last statement of each session, also a failed one. */
  const polled = async () => {
    const [row] = await owner<{ now: string }[]>`select clock_timestamp() as now`
    await until(
      async () => {
        const rows = await owner`
          select 1 from pg_stat_activity
          where application_name = 'sourcing' and datname = current_database() and query like '%job_turns%'
            and query_start > ${row?.now ?? ''}::timestamptz`
        return rows.length > 0
      },
      { withinMs: 30_000, what: 'a poll for jobs' },
    )
  }
  // A file can be begun, and no job be claimed.
  await owner`revoke update on sourcing.jobs from marketplace_sourcing`
  await owner`grant update (progress, due_at) on sourcing.jobs to marketplace_sourcing`
  await (await importer()).begin()
  await polled()
  await owner`grant update on sourcing.jobs to marketplace_sourcing`
  for (let polls = 0; polls < 3; polls++) await polled()
  expect(started).toBe(1)
}, 60_000)

test('an organization at its limit of PENDING files is 409, and another one is not', async () => {
  const { own, parts, begin } = await importer()
  const first = await begin()
  for (let more = 1; more < MAX_PENDING; more++) expect((await begin(parts[more % 2])).status).toBe(200)
  const refused = await begin(parts[1])
  expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
  const other = await importer()
  expect((await other.begin()).status).toBe(200)
  await own.changeFiles(parts[0] ?? '', { remove: [first.body.fileId] })
  expect((await begin(parts[1])).status).toBe(200)
})
