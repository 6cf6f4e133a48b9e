import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../../kit/db/client.ts'
import { createLog } from '../../../kit/log/log.ts'
import { testDatabase } from '../../../testing/database.ts'
import { storageOf } from '../../../testing/files/storage-of.ts'
import { until } from '../../../testing/until.ts'
import { cleanUpObjects } from './cleanup.ts'

const HOUR_MS = 60 * 60 * 1000
/** More than one cleanup deletes. */
const BACKLOG = 3_000

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 2, applicationName: 'test-cleanup-failures' })
const root = await mkdtemp(join(tmpdir(), 'cleanup-failures-'))
afterAll(async () => {
  await sql.end()
  await rm(root, { recursive: true })
})
const settings = { publicUrl: 'http://localhost', encryptionKeys: `test:${Buffer.alloc(32, 7).toString('base64')}` }
const folder = storageOf({ ...settings, variables: { FILES_FOLDER: root } })
const lines: string[] = []
const destination = { write: (line: string) => void lines.push(line) }
const log = createLog({ service: 'sourcing', version: '0', level: 'warn', destination })
const { signal: never } = new AbortController()
const now = new Date()
const after = (hours: number) => new Date(now.getTime() + hours * HOUR_MS)

beforeEach(async () => {
  lines.length = 0
  await db.owner`truncate sourcing.scheduled_deletions`
})

/** Due deletions, the first one for the longest time. */
const schedule = (count: number) => db.owner`
  insert into sourcing.scheduled_deletions (object_key, due_at)
  select 'file_' || n, ${now.toISOString()}::timestamptz - interval '1 day' + n * interval '1 ms'
  from generate_series(1, ${count}::integer) n`
const scheduled = async () => {
  const [row] = await db.owner<[{ count: number }]>`select count(*)::int from sourcing.scheduled_deletions`
  return row.count
}

test('a cleanup deletes a bounded number of objects, and the next one the rest', async () => {
  await schedule(BACKLOG)
  await cleanUpObjects({ sql, storage: folder, log }, now.toISOString(), never)
  const left = await scheduled()
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(BACKLOG)
  await cleanUpObjects({ sql, storage: folder, log }, now.toISOString(), never)
  expect(await scheduled()).toBe(0)
})

test('objects that cannot be deleted do not block others, and are retried an hour later', async () => {
  const [objects, locked] = [join(root, 'objects'), Array.from({ length: 40 }, (_, n) => `file_${n + 1}`)]
  // Unlinking a folder fails.
  for (const key of locked) await mkdir(join(objects, key), { recursive: true })
  await writeFile(join(objects, 'file_41'), 'unused')
  await schedule(41)
  // The upload of a file is due at two times.
  await db.owner`insert into sourcing.scheduled_deletions (object_key, due_at) values ('file_1', ${now.toISOString()})`

  await cleanUpObjects({ sql, storage: folder, log }, now.toISOString(), never)
  expect((await readdir(objects)).sort()).toEqual(locked.toSorted())
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', key: 'file_1', objects: 41, err: expect.anything() }),
  ])
  const rows = await db.owner<{ due_at: string; started: boolean }[]>`
    select distinct due_at, started from sourcing.scheduled_deletions`
  expect([...rows]).toEqual([{ due_at: after(1).toISOString(), started: true }])

  for (const key of locked) await rmdir(join(objects, key))
  await cleanUpObjects({ sql, storage: folder, log }, after(0.9).toISOString(), never)
  expect(await scheduled()).toBe(40)
  await cleanUpObjects({ sql, storage: folder, log }, after(1).toISOString(), never)
  expect(await scheduled()).toBe(0)
})

test('with a store that hangs, a cleanup sends one batch of requests and ends at the stop signal', async () => {
  await schedule(100)
  let isResponsive = false
  const requested: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method !== 'DELETE') return new Response('<ListMultipartUploadsResult/>')
      requested.push(new URL(request.url).pathname)
      await until(() => isResponsive)
      return new Response(null, { status: 204 })
    },
  })
  const variables = {
    S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
    S3_BUCKET: 'files',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
  }
  const storage = storageOf({ ...settings, variables })
  const stopping = new AbortController()
  const cleanup = cleanUpObjects({ sql, storage, log }, now.toISOString(), stopping.signal)
  await until(() => requested.length === 16)
  const stoppedMs = performance.now()
  stopping.abort()
  await cleanup
  expect(performance.now() - stoppedMs).toBeLessThan(2_000)
  expect([requested.length, await scheduled(), lines]).toEqual([16, 100, []])

  isResponsive = true
  await cleanUpObjects({ sql, storage, log }, now.toISOString(), never)
  expect(await scheduled()).toBe(0)
  await server.stop(true)
})

test('two concurrent cleanups delete every object without errors', async () => {
  await schedule(1_000)
  const all = Array.from({ length: 2 }, () => cleanUpObjects({ sql, storage: folder, log }, now.toISOString(), never))
  await Promise.all(all)
  await cleanUpObjects({ sql, storage: folder, log }, now.toISOString(), never)
  expect([await scheduled(), lines]).toEqual([0, []])
})
