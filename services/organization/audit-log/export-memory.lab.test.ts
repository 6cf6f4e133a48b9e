import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { testDatabase } from '../../testing/database.ts'
import { createFixtures } from '../../testing/marketplace.ts'
import { startService } from '../../testing/processes.ts'
import { signInOverHttp } from '../../testing/sign-in.ts'
import { until } from '../../testing/until.ts'

/** An export of about fifty megabytes, more than the memory growth that the test allows. */
const ENTRIES = 200_000
/** The most memory that an export may add to its process. */
const MAX_GROWTH_MIB = 40
const PATH = '/flows/v1/audit-log/export'

const db = await testDatabase()
const identity = await startService('identity', db)
const organization = await startService('organization', db)
const org = await (await createFixtures(db, signInOverHttp(identity.client.url))).organization(['IP_OWNER'])
await db.owner`
  insert into organization.audit_log (id, org_id, timestamp, procedure, success, actor_id)
  select 'audit_' || left(upper(md5(n::text)), 26), ${org.orgId}, now() - make_interval(secs => n), 'part.create', true,
    ${org.administrator.userId}
  from generate_series(1, ${ENTRIES}::int) n`
await db.owner`vacuum (analyze) organization.audit_log`

/** A tenth of the entries, which are a second apart. */
const A_TENTH = `${PATH}?from=${new Date(Date.now() - (ENTRIES / 10) * 1000).toISOString()}`

/** The memory of the exporting process. */
async function memoryMib(): Promise<number> {
  const ps = Bun.spawn(['ps', '-o', 'rss=', '-p', String(organization.child.pid)], { stdin: 'ignore', stdout: 'pipe' })
  return Number(await ps.stdout.text()) / 1024
}

/** The highest memory during the work. */
async function peakMib(work: Promise<unknown>): Promise<number> {
  let isRunning = true
  const finished = work.finally(() => {
    isRunning = false
  })
  let peak = 0
  while (isRunning) {
    peak = Math.max(peak, await memoryMib())
    await Bun.sleep(100)
  }
  await finished
  return peak
}

/** A client that can pause after each chunk. */
async function reader(coding: 'gzip' | 'identity', path = PATH) {
  let bytes = 0
  let ended = false
  let pauseMs = 0
  const { port } = new URL(organization.client.url)
  const socket: Socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: {
      data(from, chunk) {
        bytes += chunk.length
        // The end of a chunked body.
        ended ||= chunk.subarray(-5).toString('latin1') === '0\r\n\r\n'
        if (pauseMs === 0) return
        from.pause()
        setTimeout(() => from.resume(), pauseMs)
      },
    },
  })
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${coding}\r\n` +
      `Authorization: Bearer ${org.administrator.client.accessToken}\r\n\r\n`,
  )
  return {
    socket,
    bytes: () => bytes,
    readSlowly(ms: number): void {
      pauseMs = ms
    },
    end: () => until(() => ended, { withinMs: 120_000, what: 'the end of the export' }),
  }
}

async function exported(coding: 'gzip' | 'identity', { pauseMs = 0, path = PATH } = {}): Promise<number> {
  const client = await reader(coding, path)
  client.readSlowly(pauseMs)
  await client.end()
  client.socket.terminate()
  return client.bytes()
}

/**
 * The highest memory of exports of a tenth. It is measured after warm-up: the code is compiled and the heap has grown.
 */
const peakOfTenthMib = (coding: 'gzip' | 'identity'): Promise<number> =>
  peakMib(
    (async () => {
      for (let time = 0; time < 10; time++) await exported(coding, { path: A_TENTH })
    })(),
  )

describe.each(['identity', 'gzip'] as const)(`an export of ${ENTRIES} entries (%s)`, (coding) => {
  test(`needs at most ${MAX_GROWTH_MIB} MiB more than an export of a tenth, with a fast and with a slow client`, async () => {
    const before = await peakOfTenthMib(coding)
    const sent: number[] = []
    const fast = await peakMib(exported(coding).then((bytes) => sent.push(bytes)))
    const slow = await peakMib(exported(coding, { pauseMs: 2 }).then((bytes) => sent.push(bytes)))
    expect(sent[0]).toBeGreaterThan(coding === 'gzip' ? ENTRIES * 10 : ENTRIES * 200)
    expect(Math.max(fast, slow) - before).toBeLessThan(MAX_GROWTH_MIB)
  }, 300_000)
})

test('exports to clients that stop reading pause with bounded memory', async () => {
  const before = await peakOfTenthMib('identity')
  const clients = await Promise.all([reader('identity'), reader('identity')])
  for (const client of clients) client.socket.pause()
  const peak = await peakMib(
    until(async () => isSteady(await scans()), { withinMs: 60_000, what: 'the pause of both exports' }),
  )
  expect(peak - before).toBeLessThan(MAX_GROWTH_MIB)
  for (const { socket } of clients) socket.terminate()
}, 300_000)

/** The number of index scans of the log. Postgres updates it once a second. */
async function scans(): Promise<number> {
  await db.owner`select pg_stat_clear_snapshot()`
  const [row] = await db.owner<[{ scans: number }]>`
    select coalesce(sum(idx_scan), 0)::int as scans from pg_stat_user_indexes
    where schemaname = 'organization' and relname like 'audit_log_2%'`
  return row.scans
}

let seen = { scans: -1, atMs: 0 }
function isSteady(scans: number): boolean {
  if (scans !== seen.scans) seen = { scans, atMs: performance.now() }
  return performance.now() - seen.atMs > 3000
}
