import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { connect } from '../db/client.ts'
import { createLog } from '../log/log.ts'
import { cleanupWorker } from './cleanup.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-cleanup' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const lines: string[] = []
const destination = { write: (line: string) => void lines.push(line) }
const log = createLog({ service: 'sourcing', version: '0', level: 'info', destination })

test('a failed task does not prevent the others, and none starts after the signal', async () => {
  const ran: string[] = []
  const stopping = new AbortController()
  const worker = cleanupWorker({ sql, log, now: () => new Date().toISOString() }, [
    async () => {
      throw new Error('store unreachable')
    },
    async (_now, signal) => {
      ran.push(`second, ${signal.aborted ? 'stopped' : 'running'}`)
      stopping.abort()
      ran.push(`second, ${signal.aborted ? 'stopped' : 'running'}`)
    },
    async () => void ran.push('third'),
  ])
  await worker.run(stopping.signal)
  expect(ran).toEqual(['second, running', 'second, stopped'])
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', err: expect.objectContaining({ message: 'store unreachable' }) }),
  ])
})

test('one run deletes all expired rows and keeps the others', async () => {
  await db.owner`
    insert into sourcing.page_cursors (key, page, expires_at)
    select 'old' || n, 1, now() - interval '1 second' from generate_series(1, 12000) n
    union all select 'young', 1, now() + interval '1 minute'`
  await db.owner`
    insert into sourcing.idempotency_keys (user_id, operation, key, request_hash, response, created_at)
    select 'user_1', 'createPart', 'old' || n, ''::bytea, '{}', now() - interval '25 hours' from generate_series(1, 6000) n
    union all select 'user_1', 'createPart', 'young', ''::bytea, '{}', now()`
  const stopping = new AbortController()
  await cleanupWorker({ sql, log, now: () => new Date().toISOString() }, [async () => stopping.abort()]).run(
    stopping.signal,
  )
  expect(await db.owner`select key from sourcing.page_cursors`).toMatchObject([{ key: 'young' }])
  expect(await db.owner`select key from sourcing.idempotency_keys`).toMatchObject([{ key: 'young' }])
})
