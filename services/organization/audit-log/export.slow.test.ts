import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import type { AuditLogEntry } from '../../../proto/http/organization/audit-log.ts'
import { ApiClient } from '../../testing/client.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { openSession } from '../../testing/sessions.ts'
import { until } from '../../testing/until.ts'

// An export of more than the buffers of two sockets, which hold about four megabytes.
const ENTRIES = 60_000
const market = await testMarketplace()
const org = await market.organization(['IP_OWNER'])
const member = await org.member([])
const { owner } = market.db
await owner`
  insert into organization.audit_log (id, org_id, timestamp, procedure, success, error, actor_id)
  select 'audit_' || lpad(n::text, 26, '0'), ${org.orgId}, now() - make_interval(mins => n / 3), 'part.create',
    n % 100 > 0, case when n % 100 = 0 then 'forbidden' end, ${member.userId}
  from generate_series(1, ${ENTRIES}::int) n`
await owner`vacuum (analyze) organization.audit_log`

const PATH = '/flows/v1/audit-log/export'
const { client } = org.administrator
const exported = async (search: string, headers = {}) => {
  const answer = await client.get(`${PATH}${search}`, { headers })
  return {
    ...answer,
    entries: answer.text
      .split('\n')
      .filter(Boolean)
      .map((line): AuditLogEntry => JSON.parse(line)),
  }
}

/** A client whose test decides when it reads. */
async function slowClient(token: string | undefined) {
  let bytes = 0
  let closed = false
  let head = ''
  const socket: Socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: market.running.port,
    socket: {
      data(_, chunk) {
        bytes += chunk.length
        if (head.length < 2000) head += chunk.toString('latin1')
      },
      close() {
        closed = true
      },
    },
  })
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return { socket, bytes: () => bytes, closed: () => closed, head: () => head }
}

/** The permits that exports hold; that of an export whose client has gone is free a moment later. */
async function runningExports(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${market.running.healthPort}/metrics`)).text()
  return Number(/^marketplace_concurrency_running\{work="exports[^}]*\} (\d+)$/m.exec(text)?.[1])
}

/** The number of index scans of the log, which grows with each batch of an export. */
async function scans(): Promise<number> {
  await owner`select pg_stat_clear_snapshot()`
  const [row] = await owner<[{ scans: number }]>`
    select coalesce(sum(idx_scan), 0)::int as scans from pg_stat_user_indexes
    where schemaname = 'organization' and relname like 'audit_log_2%'`
  return row.scans
}

describe('an export', () => {
  test('contains the entries of all pages in the same order, one per line', async () => {
    for (const filter of ['failedOnly=true', 'q=nothing', `actorId=${member.userId}&failedOnly=true`]) {
      const listed: AuditLogEntry[] = []
      for (let page = 1, more = true; more; page++) {
        const { body } = await client.get<{ items: AuditLogEntry[]; hasMore: boolean }>(
          `/v1/audit-log?${filter}&pageSize=50&page=${page}`,
        )
        listed.push(...body.items)
        more = body.hasMore
      }
      expect((await exported(`?${filter}`)).entries).toEqual(listed)
    }
    const { entries, headers } = await exported(`?actorId=${member.userId}`)
    const ids = new Set(entries.map(({ id }) => id))
    expect(ids.size).toBe(entries.length)
    expect(entries.filter(({ procedure }) => procedure === 'part.create')).toHaveLength(ENTRIES)
    const far = await client.get<{ items: AuditLogEntry[] }>(
      `/v1/audit-log?actorId=${member.userId}&page=500&pageSize=50`,
    )
    expect(far.body.items).toEqual(entries.slice(499 * 50, 500 * 50))
    expect(headers.get('content-type')).toBe('application/x-ndjson')
    expect(headers.get('content-disposition')).toContain('attachment')
    expect(headers.get('vary')).toContain('Accept-Encoding')
  })

  test('is compressed with Accept-Encoding: gzip only', async () => {
    const request = (coding: string) =>
      fetch(`${market.url}${PATH}?failedOnly=true`, {
        headers: { authorization: `Bearer ${client.accessToken}`, 'accept-encoding': coding },
        decompress: false,
      } as RequestInit)
    const [zipped, plain] = [await request('gzip'), await request('identity')]
    expect([zipped.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
    const bytes = new Uint8Array(await zipped.arrayBuffer())
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(await plain.text())
  })

  test('is 403 for members and 401 without a token, and contains only entries of the own organization', async () => {
    const other = await market.organization(['IP_OWNER'])
    expect((await member.client.get(PATH)).status).toBe(403)
    expect((await market.anonymous.get(PATH)).status).toBe(401)
    const theirs = await other.administrator.client.get(`${PATH}?actorId=${member.userId}`)
    expect([theirs.status, theirs.text]).toEqual([200, ''])
    expect((await client.get(`${PATH}?from=2026-02-30T00:00:00Z`)).status).toBe(400)
  })

  test('answers HEAD with 200 and no body', async () => {
    const head = await client.send('HEAD', PATH)
    expect([head.status, head.text]).toEqual([200, ''])
  })
})

describe('an export to a slow client', () => {
  test('pauses while the client does not read, and continues to the last entry', async () => {
    const slow = await slowClient(client.accessToken)
    slow.socket.pause()
    const before = await scans()
    await until(async () => (await scans()) > before, { what: 'the first batch' })
    // Postgres updates its counters once a second, so an export whose counter stays the same for longer has paused.
    let seen = { scans: 0, atMs: 0 }
    const stopped = async () => {
      const now = await scans()
      if (now !== seen.scans) seen = { scans: now, atMs: performance.now() }
      return performance.now() - seen.atMs > 2500
    }
    await until(stopped, { withinMs: 25_000, what: 'the pause of the export' })
    expect(slow.bytes()).toBe(0)
    slow.socket.resume()
    await until(() => slow.bytes() > ENTRIES * 150, { withinMs: 20_000, what: 'the remaining bytes' })
    await until(async () => (await scans()) > seen.scans, { what: 'the remaining batches' })
    slow.socket.terminate()
  }, 45_000)

  test('ends when the client disconnects, and its permit is free again', async () => {
    await until(async () => (await runningExports()) === 0, { what: 'the end of earlier exports' })
    const clients = await Promise.all(Array.from({ length: 2 }, () => slowClient(client.accessToken)))
    for (const { socket } of clients) socket.pause()
    // One organization may have two exports at the same time.
    await until(async () => (await runningExports()) === 2, { what: 'two exports' })
    expect((await client.send('HEAD', PATH)).status).toBe(429)
    const other = await market.organization(['IP_OWNER'])
    expect((await other.administrator.client.get(PATH)).status).toBe(200)
    for (const { socket } of clients) socket.terminate()
    await until(async () => (await client.send('HEAD', PATH)).status === 200, { what: 'the exports to end' })
  })

  test('is cut off when the session is revoked', async () => {
    const session = await openSession(market, org.administrator)
    const slow = await slowClient(session.accessToken)
    slow.socket.pause()
    await until(async () => (await new ApiClient(market.url, session.accessToken).get('/v1/parts')).status === 200)
    await client.post('/v2.3/oauth/revoke', { token: session.accessToken })
    const revoked = new ApiClient(market.url, session.accessToken)
    await until(async () => (await revoked.get('/v1/parts')).status === 401, { what: 'the revocation' })
    slow.socket.resume()
    await until(slow.closed, { what: 'the end of the connection' })
    expect(slow.head()).toStartWith('HTTP/1.1 200')
    expect(slow.bytes()).toBeLessThan(ENTRIES * 150)
  })
})
