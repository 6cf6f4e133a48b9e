import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { connect } from './client.ts'

/** Without the patch of postgres.js, the rows of the next query follow as many holes as the failed query sent rows. */
test('a query after one that failed in the middle of its rows has its own rows alone', async () => {
  const { ownerUrl, beforeDrop } = await testDatabase()
  const pool = connect(ownerUrl, { max: 1, applicationName: 'partial-rows' })
  beforeDrop(() => pool.end({ timeout: 1 }))
  const failing = pool`select 1 / (1000 - n) as quotient from generate_series(1, 10000) n`
  await expect(failing).rejects.toThrow('division by zero')
  expect([...(await pool`select 1 as alive`)]).toEqual([{ alive: 1 }])
})
