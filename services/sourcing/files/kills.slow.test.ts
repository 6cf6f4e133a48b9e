import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Import } from '../../../proto/http/sourcing/imports.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { type SourcingProcess, sha256Of, startSourcing, streamOf } from '../../testing/files/process.ts'
import { cleanUpObjects, storageOf } from '../../testing/files/storage-of.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(180_000)
const MIB = 1024 * 1024
const market = await testMarketplace()
const owner = await market.organization(['IP_OWNER'])
await market.stop()
const root = String(market.config.FILES_FOLDER)
const { owner: sql } = market.db
const settings = {
  variables: { FILES_FOLDER: root },
  publicUrl: market.config.PUBLIC_URL,
  encryptionKeys: market.config.ENCRYPTION_KEYS,
}

let running: SourcingProcess | undefined
afterAll(() => running?.kill())

async function started(): Promise<{ sourcing: SourcingProcess; own: FileClient }> {
  const sourcing = await startSourcing(market)
  running = sourcing
  return { sourcing, own: new FileClient(market, sourcing.clientOf(owner.administrator.client), sourcing.url) }
}

const names = (folder: string) => readdir(join(root, folder)).catch(() => [])

test('a kill during an upload leaves no object, and the URL accepts another PUT', async () => {
  const first = await started()
  const part = await first.own.createPart()
  const upload = await first.own.createUpload()
  const sending = first.own.putStream(upload, streamOf(20 * MIB, 20)).catch(() => undefined)
  await until(async () => (await names('incoming')).length > 0)
  await first.sourcing.kill()
  await sending
  expect(await names('objects')).toEqual([])

  const { own, sourcing } = await started()
  const add = [{ uploadId: upload.id, group: 'document' }]
  expect((await own.changeFiles(part, { add })).status).toBe(409)
  expect((await own.putStream(upload, streamOf(3 * MIB))).status).toBe(204)
  expect((await own.changeFiles(part, { add })).status).toBe(204)
  expect((await own.listFiles(part))[0]).toMatchObject({ state: 'READY', sha256: sha256Of(3 * MIB) })
  await storageOf(settings).removeIncomplete(new Date(Date.now() + 1000))
  expect(await names('incoming')).toEqual([])
  await sourcing.kill()
})

test('an import that is killed three times is retried and ends with one object', async () => {
  const size = 8 * MIB
  const source = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(streamOf(size, 40)) })
  let { sourcing, own } = await started()
  const part = await own.createPart()
  const before = (await names('objects')).length
  const { body } = await own.client.post<{ fileId: string }>(`/v1/parts/${part}/import-file`, {
    name: 'large.bin',
    group: 'document',
    sasUrl: `http://127.0.0.1:${source.port}/`,
  })
  for (let kills = 0; kills < 3; kills++) {
    const busy = async () => (await names('incoming')).filter((name) => name.startsWith(body.fileId)).length > kills
    await until(busy, { withinMs: 40_000, what: 'an import in progress' })
    await sourcing.kill()
    // After the first kill the lease expires by itself.
    if (kills > 0) await sql`update sourcing.jobs set lease_until = now() where id = ${body.fileId}`
    ;({ sourcing, own } = await started())
  }
  const path = `/flows/v1/imports/${body.fileId}`
  const done = await until(
    async () => {
      const found = (await own.client.get<Import>(path)).body
      return found.state !== 'PENDING' && found
    },
    { withinMs: 60_000, what: 'the end of the import' },
  )
  expect(done).toEqual({ fileId: body.fileId, state: 'READY', receivedBytes: size, totalBytes: size })
  expect((await own.listFiles(part))[0]?.sha256).toBe(sha256Of(size))
  const storage = storageOf(settings)
  // The objects of killed attempts are due a second time a day later.
  for (const hours of [0, 25]) await cleanUpObjects({ sql, storage }, new Date(Date.now() + hours * 60 * 60 * 1000))
  await storage.removeIncomplete(new Date(Date.now() + 1000))
  expect((await names('objects')).length).toBe(before + 1)
  expect(await names('incoming')).toEqual([])
  const left = await sql`select object_key from sourcing.scheduled_deletions where object_key like ${`${body.fileId}%`}`
  expect(left).toHaveLength(0)
  await sourcing.kill()
  await source.stop(true)
})
