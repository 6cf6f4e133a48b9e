import { afterAll, describe, expect, test } from 'bun:test'
import type { Import } from '../../../../proto/http/sourcing/imports.ts'
import { newId } from '../../../kit/db/ids.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { headOf, plainSource } from '../../../testing/files/plain-source.ts'
import { testMarketplace } from '../../../testing/marketplace.ts'
import type { Problem } from '../../../testing/people.ts'
import { until } from '../../../testing/until.ts'

const market = await testMarketplace({ ALLOW_PRIVATE_ADDRESSES: 'true', STORED_BYTES_MAX: '5000000' })
const owner = await market.organization(['IP_OWNER'])
const other = await market.organization(['IP_OWNER'])
const own = new FileClient(market, owner.administrator.client)
const { owner: rows } = market.db
const part = await own.createPart()

const requests: { path: string; headers: Headers }[] = []
let failuresLeft = 0
const source = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    requests.push({ path: pathname, headers: request.headers })
    const respond = RESPONSES[pathname]
    return respond ? respond() : new Response('no such file', { status: 404 })
  },
})
afterAll(() => source.stop(true))

const RESPONSES: Record<string, () => Response | Promise<Response>> = {
  '/impeller.stl': () =>
    new Response('solid impeller\n facet normal 0 0 1', { headers: { 'content-type': 'text/html' } }),
  '/elsewhere': () => Response.redirect(`http://127.0.0.1:${source.port}/impeller.stl`),
  '/gone': () => new Response('', { status: 410 }),
  '/big': () => new Response('x'.repeat(6_000_000)),
  '/busy': () => (failuresLeft-- > 0 ? new Response('later', { status: 503 }) : new Response('at last')),
  '/empty': () => new Response(''),
}

let finish = () => {}
const plain = plainSource({
  '/slow?sig=very-secret': (socket) => {
    socket.write(headOf(1024) + 'x'.repeat(1000))
    finish = () => void socket.write('y'.repeat(24))
  },
  '/stuck': (socket) => {
    stuck += 1
    socket.write(`${headOf(1000)}and no more`)
  },
  '/huge': (socket) => void socket.write(`${headOf(600 * 1024 * 1024)}beginning`),
  '/late': (socket) => {
    socket.write(cutsLeft-- > 0 ? `${headOf(9)}hal` : `${headOf(5)}whole`)
    socket.end()
  },
})
let cutsLeft = 0
let stuck = 0
afterAll(() => plain.close())

const at = (path: string) => `http://127.0.0.1:${source.port}${path}`
const begin = (sasUrl: string, more: object = {}, partId = part) =>
  own.client.post<{ fileId: string } & Problem>(`/v1/parts/${partId}/import-file`, {
    name: 'impeller.stl',
    group: 'document',
    sasUrl,
    ...more,
  })
const progressOf = async (fileId: string) => (await own.client.get<Import>(`/flows/v1/imports/${fileId}`)).body
const ended = (fileId: string, withinMs = 10_000) =>
  until(
    async () => {
      const found = await progressOf(fileId)
      return found.state !== 'PENDING' && found
    },
    { withinMs, what: 'the end of an import' },
  )

async function imported(path: string, more: object = {}): Promise<Import> {
  const { status, body, text } = await begin(at(path), more)
  if (status !== 200) throw new Error(text)
  return ended(body.fileId)
}

describe('an import', () => {
  test('responds at once with a PENDING file, which becomes READY with the size and type of its bytes', async () => {
    const { status, body } = await begin(at('/impeller.stl?sig=secret'), { group: 'preview', name: 'Rad „2“.stl' })
    expect([status, Object.keys(body)]).toEqual([200, ['fileId']])
    expect(await ended(body.fileId)).toEqual({ fileId: body.fileId, state: 'READY', receivedBytes: 34, totalBytes: 34 })
    const file = (await own.listFiles(part)).find(({ id }) => id === body.fileId)
    expect(file).toMatchObject({ name: 'Rad „2“.stl', size: 34, contentType: 'model/stl', public: false })
    expect(await (await own.download(file as never)).text()).toStartWith('solid impeller')
    const { body: changed } = await own.client.get<{ previewFileId: string }>(`/v1/parts/${part}`)
    expect(changed.previewFileId).toBe(body.fileId)
  })

  test('sends neither tokens nor cookies, and accepts no compression', async () => {
    await imported('/impeller.stl')
    const { headers } = requests.at(-1) as { headers: Headers }
    expect(headers.get('accept-encoding')).toBe('identity')
    expect(headers.has('authorization')).toBe(false)
    expect(headers.has('cookie')).toBe(false)
  })

  test('of an empty file is READY', async () => {
    expect(await imported('/empty')).toMatchObject({ state: 'READY', receivedBytes: 0 })
  })

  test('shows its progress', async () => {
    const { body } = await begin(`${plain.url}/slow?sig=very-secret`)
    const seen = await until(async () => {
      const now = await progressOf(body.fileId)
      return now.receivedBytes > 0 && now
    })
    expect(seen).toEqual({ fileId: body.fileId, state: 'PENDING', receivedBytes: 1000, totalBytes: 1024 })
    finish()
    expect(await ended(body.fileId)).toMatchObject({ state: 'READY', receivedBytes: 1024 })
  })

  test.each([
    ['/elsewhere', 'redirected'],
    ['/gone', 'source_refused'],
    ['/unknown', 'source_refused'],
    ['/big', 'quota_reached'],
  ])('of %s is FAILED with %s and is not retried', async (path, reason) => {
    const before = requests.length
    expect(await imported(path)).toMatchObject({ state: 'FAILED', reason })
    expect(requests.slice(before).map((request) => request.path)).toEqual([path])
  })

  test('with a Content-Length over 512 MiB is FAILED before it is fetched', async () => {
    const { body } = await begin(`${plain.url}/huge`)
    expect(await ended(body.fileId)).toMatchObject({ state: 'FAILED', reason: 'too_large' })
  })

  test('whose source disconnects is fetched again', async () => {
    cutsLeft = 1
    const { body } = await begin(`${plain.url}/late`)
    expect(await ended(body.fileId)).toMatchObject({ state: 'READY', receivedBytes: 5 })
    const file = (await own.listFiles(part)).find(({ id }) => id === body.fileId)
    expect(await (await own.download(file as never)).text()).toBe('whole')
  })

  test('is retried after a 503', async () => {
    failuresLeft = 1
    expect(await imported('/busy')).toMatchObject({ state: 'READY', receivedBytes: 7 })
  })

  test('of a file that is removed meanwhile ends, and its job is deleted', async () => {
    const { body } = await begin(`${plain.url}/slow?sig=very-secret`)
    await until(async () => (await progressOf(body.fileId)).receivedBytes > 0)
    expect((await own.changeFiles(part, { remove: [body.fileId] })).status).toBe(204)
    finish()
    expect((await own.client.get(`/flows/v1/imports/${body.fileId}`)).status).toBe(404)
    const jobs = await rows`select id from sourcing.jobs where id = ${body.fileId}`
    expect(jobs).toHaveLength(0)
  })
})

test('the history of a part contains the reason of a failed import', async () => {
  const failing = await own.createPart()
  const { body } = await begin(at('/gone'), {}, failing)
  await ended(body.fileId)
  const history = await own.client.get<{ items: { changes: object[] }[] }>(`/v1/parts/${failing}/history`)
  expect(history.body.items[0]?.changes).toEqual([
    { field: `files.${body.fileId}.state`, before: 'PENDING', after: 'FAILED' },
    { field: `files.${body.fileId}.reason`, after: 'source_refused' },
  ])
})

describe('the URL of an import', () => {
  test('is stored encrypted, deleted when the import ends, and audited as its host only', async () => {
    const { body } = await begin(`${plain.url}/slow?sig=very-secret`)
    await until(async () => (await progressOf(body.fileId)).receivedBytes > 0)
    const [job] = await rows`select data from sourcing.jobs where id = ${body.fileId}`
    expect(job?.data).toEqual({ encryptedUrl: expect.any(String) })
    expect(job?.data.encryptedUrl).not.toContain('secret')
    finish()
    await ended(body.fileId)
    expect(await rows`select 1 from sourcing.jobs where id = ${body.fileId}`).toHaveLength(0)
    const entries = await rows<{ request: object }[]>`
      select request from organization.audit_log where procedure = 'part.importFile' order by timestamp desc limit 1`
    expect(entries[0]?.request).toEqual({
      partId: part,
      fileId: body.fileId,
      name: 'impeller.stl',
      group: 'document',
      sasUrl: new URL(plain.url).host,
    })
  })

  test.each([
    'ftp://127.0.0.1/a',
    'http://user:pw@127.0.0.1/a',
    'http://127.0.0.1/a#b',
    'not a URL',
    `http://127.0.0.1/${'x'.repeat(2048)}`,
    '',
  ])('%s is 400', async (sasUrl) => {
    const { status, body } = await begin(sasUrl)
    expect([status, body.errors?.[0]?.field]).toEqual([400, 'sasUrl'])
  })
})

test('slow sources of one organization do not delay the import of another', async () => {
  const theirs = new FileClient(market, other.administrator.client)
  const [busy, elsewhere] = [await own.createPart(), await theirs.createPart()]
  const slow = await Promise.all(Array.from({ length: 12 }, () => begin(`${plain.url}/stuck`, {}, busy)))
  await until(() => stuck === 2)
  const { body } = await theirs.client.post<{ fileId: string }>(`/v1/parts/${elsewhere}/import-file`, {
    name: 'a',
    group: 'document',
    sasUrl: at('/impeller.stl'),
  })
  await until(async () => (await theirs.listFiles(elsewhere))[0]?.state === 'READY')
  expect(body.fileId).toStartWith('file_')
  expect(stuck).toBe(2)
  await own.changeFiles(busy, { remove: slow.map((answer) => answer.body.fileId) })
})

describe('permission to import', () => {
  test('importing needs file:write and an own part; every member of the organization may read an import', async () => {
    const { body } = await begin(at('/impeller.stl'))
    const member = await owner.member(['part:create'])
    const path = `/flows/v1/imports/${body.fileId}`
    expect((await member.client.get(path)).status).toBe(200)
    expect((await other.administrator.client.get(path)).status).toBe(404)
    expect((await own.client.get(`/flows/v1/imports/${newId('file')}`)).status).toBe(404)
    const input = { name: 'a', group: 'document', sasUrl: at('/impeller.stl') }
    expect((await member.client.post(`/v1/parts/${part}/import-file`, input)).status).toBe(403)
    expect((await other.administrator.client.post(`/v1/parts/${part}/import-file`, input)).status).toBe(404)
  })

  test('the import of an uploaded file is 404', async () => {
    const file = await own.addFile(part, 'x')
    expect((await own.client.get(`/flows/v1/imports/${file.id}`)).status).toBe(404)
  })

  test('a part with 200 files is 409', async () => {
    const full = await own.createPart()
    await rows`
      insert into sourcing.files (id, part_id, org_id, name, file_group, state, reason, public, created_at)
      select 'file_full_' || n, ${full}, ${owner.orgId}, 'a', 'document', 'FAILED', 'too_large', false, now()
      from generate_series(1, 200) n`
    const { status, body } = await begin(at('/impeller.stl'), {}, full)
    expect([status, body.code]).toEqual([409, 'limit_reached'])
  })
})
