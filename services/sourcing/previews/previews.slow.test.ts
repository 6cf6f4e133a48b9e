import { expect, setDefaultTimeout, test } from 'bun:test'
import { open, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { filesOf, stlBox } from '../../testing/previews.ts'
import { until } from '../../testing/until.ts'
import type { SourcingConfig } from '../config.ts'
import { createSourcing } from '../service.ts'

/** Files that the worker measures and pictures, from the upload to the picture in a browser. */
setDefaultTimeout(90_000)
const market = await marketplaceWithWorkers(['sourcing'], { PREVIEWS: 'true' })
const owner = await market.organization(['IP_OWNER'])
const stranger = await market.organization(['CONSUMER'])
const { client } = owner.administrator
const files = new FileClient(market, client)

const rendered = (partId: string, id: string): Promise<File> =>
  until(
    async () =>
      (await filesOf(client, `/v1/parts/${partId}/files`)).find(
        (file) => file.id === id && (file.geometry !== undefined || file.previews !== undefined),
      ),
    { what: 'the rendering', withinMs: 60_000 },
  )
const bytesAt = async (url = '') => {
  const response = await fetch(files.localUrl(url))
  return { status: response.status, headers: response.headers, bytes: await response.bytes() }
}

/** Overwrites the first bytes of a file. */
async function overwrite(path: string, bytes: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.write(bytes)
  await file.close()
}

test('a model is measured and pictured; its readers read the picture, and its removal ends both', async () => {
  const partId = await files.createPublishedPart()
  const { id } = await files.addFile(partId, stlBox(30, 20, 10), 'document', 'box.bin')
  const { geometry, previews = [], state } = await rendered(partId, id)
  expect([state, geometry]).toEqual([
    'READY',
    {
      state: 'READY',
      boundingBox: { x: 30, y: 20, z: 10 },
      volume: expect.closeTo(6000, 1),
      surfaceArea: expect.closeTo(2200, 1),
      bodies: 1,
      triangles: 12,
      watertight: true,
      unit: 'unknown',
    },
  ])
  expect(previews.map(({ kind, width, height }) => [kind, width, height]).toSorted()).toEqual([
    ['IMAGE', 512, 512],
    ['MODEL', undefined, undefined],
  ])
  const image = previews.find(({ kind }) => kind === 'IMAGE')
  const model = previews.find(({ kind }) => kind === 'MODEL')
  const picture = await bytesAt(image?.url)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(Object.fromEntries([...picture.headers])).toMatchObject({
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(Buffer.from(picture.bytes).subarray(1, 4).toString()).toBe('PNG')
  const glb = await bytesAt(model?.url)
  expect([glb.headers.get('content-type'), Buffer.from(glb.bytes).subarray(0, 4).toString()]).toEqual([
    'model/gltf-binary',
    'glTF',
  ])
  const part = (await stranger.administrator.client.get<Part>(`/v1/parts/${partId}`)).body
  expect(part.measuredBoundingBox).toEqual({ x: 30, y: 20, z: 10 })
  expect((await bytesAt(part.previewUrl)).status).toBe(200)

  const url = new URL(image?.url ?? '')
  for (const [name, value] of [
    ['signature', `${'A'.repeat(43)}`],
    ['expires', String(Number(url.searchParams.get('expires')) + 1)],
  ] as const) {
    const forged = new URL(url)
    forged.searchParams.set(name, value)
    expect((await bytesAt(forged.href)).status).toBe(403)
  }
  // At most five minutes.
  expect(Number(url.searchParams.get('expires')) * 1000 - Date.now()).toBeLessThanOrEqual(300_000)

  expect((await files.changeFiles(partId, { remove: [id] })).status).toBe(204)
  expect((await bytesAt(image?.url)).status).toBe(404)
  const due = await market.db.owner<{ object_key: string }[]>`
    select object_key from sourcing.scheduled_deletions where object_key like 'prev_%'`
  expect(due.map(({ object_key: key }) => key).toSorted()).toEqual(
    previews.map((preview) => new URL(preview.url).pathname.split('/').at(-1) ?? '').toSorted(),
  )
})

test('a broken model is FAILED once, and its file stays READY', async () => {
  const partId = await files.createPart()
  const broken = 'ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n#1=NONSENSE(;\n'
  const { id } = await files.addFile(partId, broken, 'document', 'broken.step')
  const { state, geometry } = await rendered(partId, id)
  expect([state, geometry]).toEqual(['READY', { state: 'FAILED', reason: 'INVALID' }])
  expect(await market.db.owner`select from sourcing.jobs where kind = 'file-preview'`).toHaveLength(0)
})

test.each([
  ['truncated', (path: string) => truncate(path, 100)],
  ['overwritten', (path: string) => overwrite(path, 'liquid')],
])('a model whose stored object was %s is FAILED after three attempts, and its file stays READY', async (_, damage) => {
  const { owner: rows } = market.db
  const partId = await files.createPart()
  const { id } = await files.addFile(partId, 'solid impeller', 'document', 'box.stl')
  await until(async () => (await rows`select from sourcing.jobs where kind = 'file-preview'`).length === 0)
  const [file] = await rows<[{ object_key: string }]>`select object_key from sourcing.files where id = ${id}`
  await damage(join(String(market.config.FILES_FOLDER), 'objects', file.object_key))
  await rows`
    insert into sourcing.jobs (kind, id, tenant_id, data, created_at, due_at)
    values ('file-preview', ${file.object_key}, ${owner.orgId}, '{}', now(), now())`
  // The pauses between the attempts are skipped.
  const attempts = new Set<number>()
  const isEnded = async () => {
    const waiting = await rows<{ attempts: number }[]>`
      update sourcing.jobs set due_at = now() where id = ${file.object_key} returning attempts`
    for (const job of waiting) attempts.add(job.attempts)
    return waiting.length === 0
  }
  await until(isEnded, { what: 'the end of the attempts' })
  expect(Math.max(...attempts)).toBeLessThanOrEqual(3)
  const { state, geometry } = await rendered(partId, id)
  expect([state, geometry]).toEqual(['READY', { state: 'FAILED', reason: 'CRASHED' }])
})

test('a text, and an SVG with the name of a picture, get neither geometry nor previews', async () => {
  const partId = await files.createPart()
  await files.addFile(partId, 'plain text', 'document', 'a.txt')
  await files.addFile(partId, '<svg xmlns="http://www.w3.org/2000/svg"/>', 'preview', 'a.png')
  await until(async () => (await market.db.owner`select from sourcing.jobs where kind = 'file-preview'`).length === 0)
  const listed = await filesOf(client, `/v1/parts/${partId}/files`)
  expect(listed.map(({ geometry, previews }) => [geometry, previews])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ])
})

test('a file that is removed while it waits leaves no job', async () => {
  const partId = await files.createPart()
  const { id } = await files.addFile(partId, stlBox(1, 1, 1), 'document', 'gone.stl')
  expect((await files.changeFiles(partId, { remove: [id] })).status).toBe(204)
  await until(async () => (await market.db.owner`select from sourcing.jobs where kind = 'file-preview'`).length === 0)
  expect(await filesOf(client, `/v1/parts/${partId}/files`)).toEqual([])
})

test('a file that waits while PREVIEWS is off is rendered when it is on again', async () => {
  const off = await marketplaceWithWorkers(['sourcing'], { PREVIEWS: 'false' })
  const { administrator } = await off.organization(['IP_OWNER'])
  const uploads = new FileClient(off, administrator.client)
  const partId = await uploads.createPart()
  const { id } = await uploads.addFile(partId, stlBox(3, 2, 1), 'document', 'box.stl')
  const { owner: rows } = off.db
  const jobsOf = (kind: string) => rows`select attempts from sourcing.jobs where kind = ${kind}`
  // Workers of all kinds look for jobs at the same interval.
  await rows`
    insert into sourcing.jobs (kind, id, tenant_id, data, created_at, due_at)
    values ('rfq-titles', ${partId}, '', '{}', now(), now())`
  await until(async () => (await jobsOf('rfq-titles')).length === 0, { what: 'a job of another kind' })
  expect([...(await jobsOf('file-preview'))]).toEqual([{ attempts: 0 }])

  const on = await createSourcing({ ...off.configOf<SourcingConfig>('sourcing'), PREVIEWS: true })
  const stopping = new AbortController()
  const work = on.workers.find(({ name }) => name === 'previews')?.run(stopping.signal)
  await until(async () => (await jobsOf('file-preview')).length === 0, { what: 'the rendering', withinMs: 60_000 })
  stopping.abort()
  await work
  await on.close()
  const [file] = await uploads.listFiles(partId)
  expect([file?.id, file?.geometry?.state, file?.previews?.length]).toEqual([id, 'READY', 2])
})

test('previews count toward the stored bytes of the organization; without room a file is only measured', async () => {
  const small = await market.organization(['IP_OWNER'])
  const uploads = new FileClient(market, small.administrator.client)
  const storedBytes = async () => {
    const [row] = await market.db.owner<{ bytes: string }[]>`
      select stored_bytes as bytes from sourcing.storage_usage where org_id = ${small.orgId}`
    return Number(row?.bytes ?? 0)
  }
  const listed = (partId: string, id: string) =>
    until(
      async () =>
        (await filesOf(small.administrator.client, `/v1/parts/${partId}/files`)).find(
          (file) => file.id === id && file.geometry?.state === 'READY',
        ),
      { what: 'the measures', withinMs: 60_000 },
    )
  const partId = await uploads.createPublishedPart()
  const model = stlBox(3, 2, 1)
  const { id } = await uploads.addFile(partId, model, 'document', 'box.stl')
  const { previews = [] } = await listed(partId, id)
  const sizes = await Promise.all(previews.map(async ({ url }) => (await bytesAt(url)).bytes.length))
  const pictured = sizes.reduce((sum, size) => sum + size, 0)
  expect([previews.length, await storedBytes()]).toEqual([2, model.length + pictured])

  // The next file fits, and its previews do not.
  const full = 100 * 1024 ** 3 - model.length - 1
  await market.db.owner`update sourcing.storage_usage set stored_bytes = ${full} where org_id = ${small.orgId}`
  const second = await uploads.addFile(partId, model, 'document', 'again.stl')
  const measured = await listed(partId, second.id)
  expect([measured.geometry?.state, measured.previews ?? []]).toEqual(['READY', []])
  expect(await storedBytes()).toBe(full + model.length)

  await small.administrator.client.send('PATCH', `/v1/parts/${partId}/files`, { body: { remove: [id, second.id] } })
  await until(async () => (await storedBytes()) === full - model.length - pictured, {
    what: 'the release',
    withinMs: 30_000,
  })
})
