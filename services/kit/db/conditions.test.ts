import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { connect } from './client.ts'
import { and } from './conditions.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const numbers = async (least: number | undefined, more: { odd?: boolean; either?: readonly [number, number] } = {}) => {
  const { odd = false, either } = more
  const rows = await sql<{ n: number }[]>`
    select n from generate_series(1, 6) n
    where ${and(
      sql,
      least !== undefined && sql`n >= ${least}`,
      odd && sql`n % 2 = 1`,
      either && sql`n = ${either[0]} or n = ${either[1]}`,
    )}`
  return rows.map(({ n }) => n)
}

test('no condition selects every row', async () => {
  expect(await numbers(undefined)).toEqual([1, 2, 3, 4, 5, 6])
})

test('the conditions that apply hold together, each with its own parameters', async () => {
  expect(await numbers(3)).toEqual([3, 4, 5, 6])
  expect(await numbers(3, { odd: true })).toEqual([3, 5])
})

test('a disjunction stays one condition', async () => {
  expect(await numbers(3, { either: [1, 4] })).toEqual([4])
})
