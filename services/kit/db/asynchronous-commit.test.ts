import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { connect } from './client.ts'
import { commitsAsynchronously } from './conditions.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-async-commit' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
// The server of the tests has it off.
await sql`set synchronous_commit = on`
const setting = async (tx = sql as Parameters<typeof commitsAsynchronously>[0]) => {
  const [row] = await tx<{ value: string }[]>`select current_setting('synchronous_commit') as value`
  return row?.value
}

test('the commit of the transaction does not wait for the disk, and those after it do', async () => {
  const within = await sql.begin(async (tx) => {
    const held = await tx`select 1 where ${commitsAsynchronously(tx)}`
    return [held.length, await setting(tx)]
  })
  expect(within).toEqual([1, 'off'])
  expect(await setting()).toBe('on')
})

test('a statement by itself does not change the session', async () => {
  expect((await sql`select 1 where ${commitsAsynchronously(sql)}`).length).toBe(1)
  expect(await setting()).toBe('on')
})
