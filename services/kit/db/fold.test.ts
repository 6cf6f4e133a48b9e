import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { fold } from './fold.ts'

const { owner } = await testDatabase()

test('fold equals lower() of Postgres for letters that depend on their neighbours', async () => {
  for (const word of [
    'ΟΔΟΣ',
    'ΣΊΣΥΦΟΣ',
    'İstanbul',
    'ISPARTA',
    'ıI',
    'GRÖSSE',
    'Größe',
    'ẞ',
    'ÅNGSTRÖM',
    'Ǆ',
    'I\u0307',
  ]) {
    const [row] = await owner<{ lower: string }[]>`select lower(${word}) as lower`
    expect(fold(word)).toBe(row?.lower as string)
  }
})
