import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { insertNumbered } from './commands.ts'
import { contentOf } from './rules.ts'

const db = await testDatabase()
const now = new Date().toISOString()

const insert = (id: string, draw?: () => string) =>
  db.owner.begin((tx) =>
    insertNumbered(tx, { id, ipOwnerOrgId: 'org_1', technologyIds: [] }, contentOf({ title: id }), now, draw),
  )

test('a taken serial number is replaced by another', async () => {
  const taken = await insert('part_1')
  const drawn = [taken, taken, 'P-0000TEST']
  expect(await insert('part_2', () => drawn.shift() ?? '')).toBe('P-0000TEST')
  expect([...(await db.owner`select id, serial_number from sourcing.parts order by id`)]).toEqual([
    { id: 'part_1', serial_number: taken },
    { id: 'part_2', serial_number: 'P-0000TEST' },
  ])
})

test('without a free serial number after ten draws the part is not created', async () => {
  const taken = await insert('part_3')
  await expect(insert('part_4', () => taken)).rejects.toThrow('no free serial number')
  expect(await db.owner`select 1 from sourcing.parts where id = 'part_4'`).toHaveLength(0)
})
