import { describe, expect, test } from 'bun:test'
import type { AuditLogEntryDetail } from '../../../proto/http/organization/audit-log.ts'
import { type TestUser, testMarketplace } from '../../testing/marketplace.ts'
import { sendRaw } from '../../testing/socket.ts'

/** The address, user agent and input that an audit entry stores. */
const market = await testMarketplace({ TRUSTED_PROXIES: '2' })
const org = await market.organization(['IP_OWNER'])
const member = await org.member([])
const { administrator } = org

async function newest(actor: TestUser): Promise<AuditLogEntryDetail> {
  const { client } = administrator
  const list = await client.get<{ items: { id: string }[] }>(`/v1/audit-log?actorId=${actor.userId}&pageSize=1`)
  return (await client.get<AuditLogEntryDetail>(`/v1/audit-log/${list.body.items[0]?.id}`)).body
}

/** Sends a command that is refused and returns its audit entry. */
async function refused(target: string, headers: string[] = []): Promise<AuditLogEntryDetail> {
  const lines = [
    'Host: localhost',
    `Authorization: Bearer ${member.client.accessToken}`,
    'Content-Length: 0',
    ...headers,
  ]
  const answer = await sendRaw(market.running.port, `POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  expect(answer.status).toBe(403)
  return newest(member)
}

describe('the address of the client', () => {
  test.each([
    ['203.0.113.9, 198.51.100.2', '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9:50123, 198.51.100.2', '203.0.113.9'],
    ['1.1.1.1, [2001:DB8::9]:443, 198.51.100.2', '2001:db8::9'],
    ['::ffff:203.0.113.9, 198.51.100.2', '203.0.113.9'],
    // With fewer addresses than trusted proxies, the first one is used.
    ['203.0.113.9', '203.0.113.9'],
    ['1.1.1.1, not an address, 198.51.100.2', '127.0.0.1'],
  ])('behind two proxies is taken from %s', async (forwarded, expected) => {
    const entry = await refused('/flows/v1/parts/part_1/publish', [`X-Forwarded-For: ${forwarded}`])
    expect(entry.ipAddress).toBe(expected)
  })

  test('without X-Forwarded-For is that of the socket', async () => {
    expect((await refused('/flows/v1/parts/part_1/publish')).ipAddress).toBe('127.0.0.1')
  })

  test('of a sign-in is taken from X-Forwarded-For too', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.77, 198.51.100.2' }
    const body = { grant_type: 'password', username: member.email, password: 'wrong' }
    expect((await market.anonymous.post('/v2.3/oauth/token', body, forwarded)).status).toBe(401)
    expect(await newest(member)).toMatchObject({ procedure: 'auth.signIn', success: false, ipAddress: '203.0.113.77' })
  })
})

describe('the request', () => {
  test('has characters that no column can store escaped', async () => {
    expect((await refused('/flows/v1/parts/a%00b/publish')).request).toEqual({ id: 'a\\u0000b' })
  })

  test('has a user agent truncated to 512 characters', async () => {
    const entry = await refused('/flows/v1/parts/part_1/publish', [`User-Agent: ${'x'.repeat(5000)}`])
    expect(entry.userAgent).toBe('x'.repeat(512))
  })

  test('is stored up to 16 KiB', async () => {
    const keywords = Array.from({ length: 50 }, (_, n) => `${n}${'\u20ac'.repeat(60)}`)
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key ${n}`, '\u20ac'.repeat(1000)]))
    const created = await administrator.client.post('/v1/parts', { title: 'Large', keywords, metadata })
    expect(created.status).toBe(200)
    const { request } = await newest(administrator)
    expect(Buffer.byteLength(JSON.stringify(request))).toBeLessThanOrEqual(16 * 1024)
    expect(request).toMatchObject({ title: 'Large' })
  })

  test('with another media type, too many bytes or invalid content writes no entry', async () => {
    const before = (await newest(administrator)).id
    const { client } = administrator
    const statuses = [
      await client.send('POST', '/v1/parts', { body: '{}', headers: { 'content-type': 'text/plain' } }),
      await client.send('POST', '/v1/parts', { body: `{"title": "${'x'.repeat(1024 * 1024)}"}` }),
      await client.send('POST', '/v1/parts', { body: '{"title": "\\u0000"}' }),
      await client.send('POST', '/v1/parts', { body: '{"title": "\\ud800"}' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([415, 413, 400, 400])
    expect((await newest(administrator)).id).toBe(before)
  })
})
