import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { fold } from './fold.ts'

const { owner } = await testDatabase()

const CODE_POINTS_AT_A_TIME = 0x8000

test('every code point folds as Postgres folds it', async () => {
  const different: string[] = []
  for (let first = 1; first < 0x110000; first += CODE_POINTS_AT_A_TIME) {
    const rows = await owner<{ letter: string; lower: string }[]>`
      select chr(code) as letter, lower(chr(code)) as lower
      from generate_series(${first}::int, ${Math.min(first + CODE_POINTS_AT_A_TIME, 0x110000) - 1}::int) as code
      where code not between ${0xd800} and ${0xdfff}`
    different.push(...rows.filter(({ letter, lower }) => fold(letter) !== lower).map(({ letter }) => letter))
  }
  expect(different).toEqual([])
})
