import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Upload } from '../../../../proto/http/sourcing/uploads.ts'
import { FileClient } from '../../../testing/files/file-client.ts'
import { storageOf } from '../../../testing/files/storage-of.ts'
import { testMarketplace } from '../../../testing/marketplace.ts'
import { until } from '../../../testing/until.ts'

setDefaultTimeout(120_000)
const market = await testMarketplace({ UPLOADS_OPEN_MAX: '1000' })
const owner = await market.organization(['IP_OWNER'])
const own = new FileClient(market, owner.administrator.client)
const root = String(market.config.FILES_FOLDER)
const { owner: sql } = market.db
const settings = {
  variables: { FILES_FOLDER: root },
  publicUrl: market.config.PUBLIC_URL,
  encryptionKeys: market.config.ENCRYPTION_KEYS,
}
const storage = storageOf(settings)
const objects = () => readdir(join(root, 'objects'))

/** In batches, because one organization may send 32 uploads at a time. */
async function completed(count: number): Promise<Upload[]> {
  const uploads: Upload[] = []
  while (uploads.length < count) {
    const batch = Array.from({ length: 20 }, () => own.uploadBytes(crypto.randomUUID()))
    uploads.push(...(await Promise.all(batch)))
  }
  return uploads
}

const children = new Set<Bun.Subprocess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

async function startCleanup(now: Date) {
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, '..', '..', '..', 'testing', 'files', 'cleanup.fixture.ts')],
    {
      env: {
        PATH: process.env.PATH ?? '',
        DATABASE_URL: market.db.urlOf('sourcing'),
        FILES_FOLDER: root,
        NOW: now.toISOString(),
      },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  children.add(child)
  for await (const line of child.stdout) if (new TextDecoder().decode(line).includes('cleaning')) break
  return child
}

test('cleanups that are killed repeatedly delete every unused object and no other', async () => {
  const [part, leaving] = [await own.createPart(), await own.createPart()]
  const orphans = await completed(200)
  const attached = await completed(100)
  const removed = await completed(100)
  await own.changeFiles(part, { add: attached.map(({ id }) => ({ uploadId: id, group: 'document' })) })
  await own.changeFiles(leaving, { add: removed.map(({ id }) => ({ uploadId: id, group: 'document' })) })
  await own.client.send('DELETE', `/flows/v1/parts/${leaving}`)
  expect((await objects()).length).toBe(400)

  const afterADay = new Date(Date.now() + 25 * 60 * 60 * 1000)
  let kills = 0
  for (let left = 400; left > 100; kills++) {
    const child = await startCleanup(afterADay)
    // Killed as soon as it has deleted an object, at an arbitrary point.
    await until(async () => (await objects()).length < left || (await objects()).length === 100, { withinMs: 20_000 })
    child.kill('SIGKILL')
    await child.exited
    left = (await objects()).length
    if (kills > 60) break
  }
  expect(kills).toBeGreaterThan(1)
  const last = await startCleanup(afterADay)
  await until(async () => {
    const [row] = await sql<[{ due: number }]>`
      select count(*)::int as due from sourcing.scheduled_deletions where due_at <= ${afterADay.toISOString()}`
    return row.due === 0
  })
  last.kill('SIGKILL')
  await last.exited

  expect((await objects()).sort()).toEqual(attached.map(({ id }) => id).sort())
  const files = await own.listFiles(part)
  expect(files).toHaveLength(100)
  for (const file of files.slice(0, 10)) {
    const bytes = await (await own.download(file)).text()
    expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(file.sha256 ?? '')
  }
  const states = await sql`select distinct state from sourcing.uploads where id = any(${orphans.map(({ id }) => id)})`
  expect([...states]).toEqual([{ state: 'DEAD' }])
  await storage.removeIncomplete(new Date(Date.now() + 1000))
  expect(await readdir(join(root, 'incoming'))).toEqual([])
})

test('an upload that is added when it expires is attached or deleted, never both', async () => {
  const part = await own.createPart()
  const uploads = await completed(60)
  const soon = new Date(Date.now() + 400)
  await sql`update sourcing.uploads set expires_at = ${soon.toISOString()} where id = any(${uploads.map(({ id }) => id)})`
  const child = await startCleanup(soon)
  const answers = await Promise.all(
    uploads.map(async ({ id }, n) => {
      await Bun.sleep(n * 15)
      return { id, ...(await own.changeFiles(part, { add: [{ uploadId: id, group: 'document' }] })) }
    }),
  )
  const added = answers.filter(({ status }) => status === 204).map(({ id }) => id)
  await until(async () => {
    const [row] = await sql<[{ due: number }]>`
      select count(*)::int as due from sourcing.scheduled_deletions where due_at <= ${soon.toISOString()}`
    const [open] = await sql<[{ open: number }]>`
      select count(*)::int as open from sourcing.uploads where state = 'OPEN' and id = any(${uploads.map(({ id }) => id)})`
    return row.due === 0 && open.open === 0
  })
  child.kill('SIGKILL')
  await child.exited
  const there = new Set(await objects())
  expect(
    uploads
      .filter(({ id }) => there.has(id))
      .map(({ id }) => id)
      .sort(),
  ).toEqual(added.sort())
  expect((await own.listFiles(part)).length).toBe(added.length)
})
