import { expect, test } from 'bun:test'
import { connect } from '../db/client.ts'
import { createLog } from '../log/log.ts'
import { testDatabase } from '../testing/database.ts'
import { sweeper } from './sweeper.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-sweeper' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const lines: string[] = []
const destination = { write: (line: string) => void lines.push(line) }
const log = createLog({ service: 'sourcing', version: '0', level: 'info', destination })

test('a sweep that fails keeps none of the others from theirs, and none begins after the signal', async () => {
  const swept: string[] = []
  const stopping = new AbortController()
  const worker = sweeper({ sql, log, clock: Date.now }, [
    async () => {
      throw new Error('the store is away')
    },
    async (signal) => {
      swept.push(`second, ${signal.aborted ? 'stopped' : 'going on'}`)
      stopping.abort()
      swept.push(`second, ${signal.aborted ? 'stopped' : 'going on'}`)
    },
    async () => void swept.push('third'),
  ])
  await worker.run(stopping.signal)
  expect(swept).toEqual(['second, going on', 'second, stopped'])
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 'error', err: expect.objectContaining({ message: 'the store is away' }) }),
  ])
})
