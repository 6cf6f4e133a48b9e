import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { insertWithSerialNumber } from './commands.ts'
import { contentOf } from './rules.ts'

const db = await testDatabase()
const now = new Date().toISOString()

const insert = (id: string, generate?: () => string) =>
  db.owner.begin((tx) =>
    insertWithSerialNumber(
      tx,
      { id, ipOwnerOrgId: 'org_1', technologyIds: [] },
      contentOf({ title: id }),
      now,
      generate,
    ),
  )

test('a taken serial number is replaced by another', async () => {
  const taken = await insert('part_1')
  const generated = [taken, taken, 'P-0000TEST']
  expect(await insert('part_2', () => generated.shift() ?? '')).toBe('P-0000TEST')
  expect([...(await db.owner`select id, serial_number from sourcing.parts order by id`)]).toEqual([
    { id: 'part_1', serial_number: taken },
    { id: 'part_2', serial_number: 'P-0000TEST' },
  ])
})

test('a part without a free serial number in ten attempts is not created', async () => {
  const taken = await insert('part_3')
  await expect(insert('part_4', () => taken)).rejects.toThrow('no free serial number')
  expect(await db.owner`select 1 from sourcing.parts where id = 'part_4'`).toHaveLength(0)
})
