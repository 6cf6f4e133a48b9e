import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { connect } from '../db/client.ts'
import { PipelinedReads } from '../db/pipelined-reads.ts'
import { createLog } from '../log/log.ts'
import { CursorStore } from './cursor-store.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 2, applicationName: 'cursor-store-test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const log = createLog({ service: 'test', version: '0', level: 'silent' })
const newStore = () => new CursorStore({ sql, reads: new PipelinedReads(sql), clock: Date.now, log })

const cursor = (key: string, page: number) => ({ key, page, startAfter: null, endPosition: String(page) })

test('while cursors wait to be written, a full store drops those of other lists and replaces those it has', async () => {
  const store = newStore()
  const locked = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const lock = db.owner.begin(async (tx) => {
    await tx`lock table sourcing.page_cursors in share row exclusive mode`
    locked.resolve()
    await done.promise
  })
  await locked.promise
  for (let n = 0; n < 5000; n++) store.put(cursor(`list ${n}`, 1))
  store.put(cursor('one too many', 1))
  store.put(cursor('list 7', 2))
  expect(await store.find('list 7')).toMatchObject({ page: 2 })
  expect(await store.find('one too many')).toBeUndefined()
  done.resolve()
  await lock
  // Another replica reads the newer cursor from the table.
  await until(async () => (await newStore().find('list 7'))?.page === 2)
})
