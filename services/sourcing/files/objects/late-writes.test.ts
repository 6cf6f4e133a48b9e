import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../../kit/db/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { cleanUpObjects, storageOf } from '../../../testing/files/storage-of.ts'
import { cancelDeletion, scheduleDeletion, scheduleDeletionOfAttempts } from './queries.ts'

const HOUR_MS = 60 * 60 * 1000

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-late-writes' })
const root = await mkdtemp(join(tmpdir(), 'late-writes-'))
afterAll(async () => {
  await sql.end()
  await rm(root, { recursive: true })
})
const storage = storageOf({
  variables: { FILES_FOLDER: root },
  publicUrl: 'http://localhost',
  encryptionKeys: `test:${Buffer.alloc(32, 7).toString('base64')}`,
})
const startedAt = new Date()
const after = (hours: number) => new Date(startedAt.getTime() + hours * HOUR_MS)

async function* bytes() {
  yield new TextEncoder().encode('solid impeller')
}
const write = (key: string) => storage.put(key, bytes(), { maxBytes: 100, signal: new AbortController().signal })
const objects = async () => (await readdir(join(root, 'objects'))).sort()

test('an object that an attempt writes after a cleanup is deleted by a later cleanup', async () => {
  const [late, early, winner] = ['file_1.late', 'file_1.early', 'file_1.winner']
  for (const key of [late, early, winner]) await scheduleDeletion(sql, key, startedAt.toISOString())
  await write(early)
  await write(winner)
  await sql.begin(async (tx) => {
    expect(await cancelDeletion(tx, winner)).toHaveLength(1)
    await scheduleDeletionOfAttempts(tx, 'file_1', after(1).toISOString())
  })

  await cleanUpObjects({ sql, storage }, after(2))
  expect(await objects()).toEqual([winner])
  await write(late)
  await cleanUpObjects({ sql, storage }, after(3))
  expect(await objects()).toEqual([late, winner])
  await cleanUpObjects({ sql, storage }, after(25))
  expect(await objects()).toEqual([winner])
  expect([...(await db.owner`select object_key from sourcing.scheduled_deletions`)]).toEqual([])
})

test('the attempts of a file whose id is a prefix of another id are deleted alone', async () => {
  for (const key of ['file_2.try', 'file_20.try']) {
    await scheduleDeletion(sql, key, startedAt.toISOString())
    await write(key)
  }
  await sql.begin((tx) => scheduleDeletionOfAttempts(tx, 'file_2', after(1).toISOString()))
  await cleanUpObjects({ sql, storage }, after(2))
  expect(await objects()).toEqual(['file_1.winner', 'file_20.try'])
})
