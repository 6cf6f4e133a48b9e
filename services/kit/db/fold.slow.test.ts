import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { fold } from './fold.ts'

const { owner } = await testDatabase()

const BATCH_SIZE = 0x8000

test('fold equals lower() of Postgres for every code point', async () => {
  const different: string[] = []
  for (let first = 1; first < 0x110000; first += BATCH_SIZE) {
    const rows = await owner<{ letter: string; lower: string }[]>`
      select chr(code) as letter, lower(chr(code)) as lower
      from generate_series(${first}::int, ${Math.min(first + BATCH_SIZE, 0x110000) - 1}::int) as code
      where code not between ${0xd800} and ${0xdfff}`
    different.push(...rows.filter(({ letter, lower }) => fold(letter) !== lower).map(({ letter }) => letter))
  }
  expect(different).toEqual([])
})
