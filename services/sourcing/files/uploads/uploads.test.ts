import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Upload } from '../../../../proto/http/sourcing/uploads.ts'
import { newId } from '../../../kit/db/ids.ts'
import { marketplaceWithWorkers, RACING } from '../../../testing/marketplace.ts'
import { sendRaw } from '../../../testing/socket.ts'
import { until } from '../../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], { ...RACING, UPLOADS_OPEN_MAX: '20' })
const owner = await market.organization(['IP_OWNER'])
const { client } = owner.administrator
const isUpload = TypeCompiler.Compile(Upload)

interface Problem {
  code: string
  errors?: { field: string }[]
}

const create = (body: unknown, by = client) => by.post<Upload & Problem>('/v1/uploads', body)

/** Replaces the public URL, because the marketplace does not know its port. */
const here = (url: string) => url.replace(market.config.PUBLIC_URL, market.url)

async function uploadUrl(): Promise<string> {
  await market.db.owner`delete from sourcing.uploads`
  const { status, body } = await create({ name: 'impeller.stl', public: false })
  expect(status).toBe(200)
  return here(body.uploadUrl)
}

const put = (url: string, body: string) => fetch(url, { method: 'PUT', body })

describe('POST /v1/uploads', () => {
  test('responds with a URL that accepts one PUT within 24 hours', async () => {
    const before = Date.now()
    const { status, body, headers } = await create({ name: 'impeller.stl', public: true })
    expect([status, body.method, headers.get('cache-control')]).toEqual([200, 'PUT', 'no-store'])
    expect(isUpload.Check(body)).toBe(true)
    expect(body.id).toMatch(/^upload_[0-9A-HJKMNP-TV-Z]{26}$/)
    const life = Date.parse(body.expireTime) - before
    expect(Math.abs(life - 24 * 60 * 60 * 1000)).toBeLessThan(60_000)
  })

  test('without `public` the upload is not public', async () => {
    const { body } = await create({ name: 'a.pdf' })
    const [row] = await market.db.owner`select public, state, org_id from sourcing.uploads where id = ${body.id}`
    expect(row).toEqual({ public: false, state: 'OPEN', org_id: owner.orgId })
  })

  test.each([
    'Zeichnung Größe „A“.pdf',
    '図面.stl',
    'رسم.pdf',
    'a'.repeat(255),
    '\u{1f6a2}'.repeat(255),
    '..a',
    ' .hidden',
    'a%2Fb',
    "'; drop table parts; --.stl",
    '<img src=x onerror=alert(1)>.html',
    'CON',
    '-rf',
  ])('accepts the name %s', async (name) => {
    await market.db.owner`delete from sourcing.uploads`
    expect((await create({ name })).status).toBe(200)
  })

  test.each([
    ['empty', ''],
    ['blank', '   '],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['the current folder', '.'],
    ['the parent folder', '..'],
    ['NUL', 'a\0b'],
    ['a line feed', 'a\nb'],
    ['a tab', 'a\tb'],
    ['DEL', 'a\u007f'],
    ['C1', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['right to left override', 'drawing\u202efdp.exe'],
    ['invisible characters only', '\u200b\u2060 \u00ad'],
    ['an isolate', 'a\u2066b'],
    ['too long', 'a'.repeat(256)],
    ['too long in code points', '\u{1f6a2}'.repeat(256)],
    ['a lone surrogate', 'a\ud800'],
    ['a number', 5],
  ])('a name that is %s is 400', async (_, name) => {
    const { status, body } = await create({ name })
    expect([status, body.errors?.[0]?.field]).toEqual([400, 'name'])
  })

  test('needs file:write', async () => {
    const member = await owner.member(['part:create'])
    expect((await create({ name: 'a' }, member.client)).status).toBe(403)
    expect((await create({ name: 'a' }, market.anonymous)).status).toBe(401)
  })

  test('concurrent requests do not exceed the limit of open uploads; expired uploads do not count', async () => {
    const other = await market.organization(['IP_OWNER'])
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => create({ name: 'a' }, other.administrator.client)),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.find(({ status }) => status !== 200)?.body.code).toBe('limit_reached')
    await market.db.owner`update sourcing.uploads set expires_at = now() where org_id = ${other.orgId}`
    expect((await create({ name: 'a' }, other.administrator.client)).status).toBe(200)
  })
})

describe('PUT of the bytes', () => {
  test('is 204, and a second one is 409', async () => {
    const url = await uploadUrl()
    expect((await put(url, 'solid a')).status).toBe(204)
    const again = await put(url, 'other bytes')
    expect([again.status, ((await again.json()) as Problem).code]).toEqual([409, 'conflict'])
  })

  test('in concurrent requests is 204 once and 409 otherwise', async () => {
    const url = await uploadUrl()
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => put(url, `bytes of ${n}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(409)])
  })

  test.each([
    ['another signature', (url: URL) => url.searchParams.set('signature', 'x'.repeat(43))],
    ['an invalid signature', (url: URL) => url.searchParams.set('signature', '%%%')],
    [
      'a later expiry',
      (url: URL) => url.searchParams.set('expires', String(Number(url.searchParams.get('expires')) + 1)),
    ],
    ['another upload', (url: URL) => Object.assign(url, { pathname: `/files/uploads/${newId('upload')}` })],
    ['an expiry in the past', (url: URL) => url.searchParams.set('expires', '1')],
  ])('with %s is 403', async (_, change) => {
    const url = new URL(await uploadUrl())
    change(url)
    const answer = await put(url.href, 'x')
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([403, 'forbidden'])
  })

  test('without a signature is 400', async () => {
    const url = new URL(await uploadUrl())
    url.searchParams.delete('signature')
    expect((await put(url.href, 'x')).status).toBe(400)
  })

  test('with a Content-Length over 512 MiB is 413 before the body is read', async () => {
    const url = new URL(await uploadUrl())
    const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${512 * 1024 * 1024 + 1}\r\n\r\n`
    expect((await sendRaw(Number(url.port), head)).status).toBe(413)
    expect((await put(url.href, 'accepted')).status).toBe(204)
  })

  test('that disconnects stores nothing, and the URL accepts another PUT', async () => {
    const url = new URL(await uploadUrl())
    const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n`
    await sendRaw(Number(url.port), `${head}${'x'.repeat(5000)}`, { closeAfterSending: true })
    // The URL is in use until the process notices the disconnect.
    await until(async () => (await put(url.href, 'whole')).status === 204)
  })

  test('with Content-Range is 400, because partial bodies are not supported', async () => {
    const url = await uploadUrl()
    const headers = { 'content-range': 'bytes 0-2/10' }
    expect((await fetch(url, { method: 'PUT', body: 'abc', headers })).status).toBe(400)
    expect((await put(url, 'whole')).status).toBe(204)
  })

  test('with an empty body is 204', async () => {
    expect((await put(await uploadUrl(), '')).status).toBe(204)
  })

  test('needs no token and writes no audit entry', async () => {
    const url = await uploadUrl()
    const [before] = await market.db.owner`select count(*) from organization.audit_log`
    await put(url, 'x')
    const [after] = await market.db.owner`select count(*) from organization.audit_log`
    expect(after).toEqual(before as object)
  })
})
