import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../kit/db/client.ts'
import { createLog } from '../../kit/log/log.ts'
import { testDatabase } from '../../testing/database.ts'
import { storageOf } from '../../testing/files/storage-of.ts'
import { until } from '../../testing/until.ts'
import { sweepObjects } from './sweep.ts'

const HOUR_MS = 60 * 60 * 1000
/** More than one sweep may take. */
const BACKLOG = 3_000

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 2, applicationName: 'test-store-troubles' })
const root = await mkdtemp(join(tmpdir(), 'store-troubles-'))
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
  await db.owner`truncate sourcing.doomed_objects`
})

/** All due, the first of them longest. */
const doom = (count: number) => db.owner`
  insert into sourcing.doomed_objects (object_key, due_at)
  select 'file_' || n, ${now.toISOString()}::timestamptz - interval '1 day' + n * interval '1 ms'
  from generate_series(1, ${count}::integer) n`
const doomed = async () => {
  const [row] = await db.owner<[{ count: number }]>`select count(*)::int from sourcing.doomed_objects`
  return row.count
}

test('a sweep takes no more than it may, and the next ones the rest', async () => {
  await doom(BACKLOG)
  await sweepObjects({ sql, storage: folder, log }, now, never)
  const left = await doomed()
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(BACKLOG)
  await sweepObjects({ sql, storage: folder, log }, now, never)
  expect(await doomed()).toBe(0)
})

test('objects that cannot be deleted stand before no others, and are tried again an hour later', async () => {
  const [objects, locked] = [join(root, 'objects'), Array.from({ length: 40 }, (_, n) => `file_${n + 1}`)]
  // No file store can unlink a folder.
  for (const key of locked) await mkdir(join(objects, key), { recursive: true })
  await writeFile(join(objects, 'file_41'), 'what nobody needs')
  await doom(41)
  // The upload of a file has two moments.
  await db.owner`insert into sourcing.doomed_objects (object_key, due_at) values ('file_1', ${now.toISOString()})`

  await sweepObjects({ sql, storage: folder, log }, now, never)
  expect((await readdir(objects)).sort()).toEqual(locked.toSorted())
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'warn', key: 'file_1', objects: 41, err: expect.anything() }),
  ])
  const rows = await db.owner<{ due_at: string; dying: boolean }[]>`
    select distinct due_at, dying from sourcing.doomed_objects`
  expect([...rows]).toEqual([{ due_at: after(1).toISOString(), dying: true }])

  for (const key of locked) await rmdir(join(objects, key))
  await sweepObjects({ sql, storage: folder, log }, after(0.9), never)
  expect(await doomed()).toBe(40)
  await sweepObjects({ sql, storage: folder, log }, after(1), never)
  expect(await doomed()).toBe(0)
})

test('of a store that hangs some objects are asked for at once, and a sweep ends when it is told to', async () => {
  await doom(100)
  let isAwake = false
  const asked: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method !== 'DELETE') return new Response('<ListMultipartUploadsResult/>')
      asked.push(new URL(request.url).pathname)
      await until(() => isAwake)
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
  const sweep = sweepObjects({ sql, storage, log }, now, stopping.signal)
  await until(() => asked.length === 16)
  const stoppedMs = performance.now()
  stopping.abort()
  await sweep
  expect(performance.now() - stoppedMs).toBeLessThan(2_000)
  expect([asked.length, await doomed(), lines]).toEqual([16, 100, []])

  isAwake = true
  await sweepObjects({ sql, storage, log }, now, never)
  expect(await doomed()).toBe(0)
  await server.stop(true)
})

test('two sweepers at once share the work', async () => {
  await doom(1_000)
  const all = Array.from({ length: 2 }, () => sweepObjects({ sql, storage: folder, log }, now, never))
  await Promise.all(all)
  await sweepObjects({ sql, storage: folder, log }, now, never)
  expect([await doomed(), lines]).toEqual([0, []])
})
