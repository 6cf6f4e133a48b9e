import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { connect, type Sql } from './client.ts'
import { withSettings } from './with-settings.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const settingsOf = async (read: Sql) => {
  const [row] = await read<[{ timeout: string; merging: string }]>`
    select current_setting('statement_timeout') as timeout, current_setting('enable_mergejoin') as merging`
  return row
}

test('withSettings applies its settings to the transaction only', async () => {
  const before = await settingsOf(sql)
  const during = await withSettings({ statement_timeout: '250', enable_mergejoin: 'off' }, sql, (tx) => settingsOf(tx))
  expect(during).toEqual({ timeout: '250ms', merging: 'off' })
  expect(await settingsOf(sql)).toEqual(before)
})

test('a statement over the timeout returns undefined, and the connection stays usable', async () => {
  const sleep = (seconds: number) =>
    withSettings(
      { statement_timeout: '50' },
      sql,
      (tx) => tx<{ slept: number }[]>`select 1 as slept, pg_sleep(${seconds})::text`,
    )
  expect(await sleep(30)).toBeUndefined()
  expect((await sleep(0))?.[0]?.slept).toBe(1)
})

test('writes are refused, and other errors are thrown', async () => {
  const reading = (statement: string) => withSettings({ statement_timeout: '250' }, sql, (tx) => tx.unsafe(statement))
  await expect(reading(`delete from sourcing.parts`)).rejects.toThrow('read-only')
  await expect(reading('select 1 / 0')).rejects.toThrow('division by zero')
})

test('within a transaction its settings end with the read, and a timeout leaves the transaction usable', async () => {
  await sql.begin('read only', async (outer) => {
    const before = await settingsOf(outer)
    const during = await withSettings({ statement_timeout: '250' }, outer, (tx) => settingsOf(tx))
    expect(during).toEqual({ ...before, timeout: '250ms' })
    expect(await settingsOf(outer)).toEqual(before)
    expect(await withSettings({ statement_timeout: '50' }, outer, (tx) => tx`select pg_sleep(30)`)).toBeUndefined()
    expect(await settingsOf(outer)).toEqual(before)
  })
})
