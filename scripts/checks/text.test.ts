import { expect, test } from 'bun:test'
import { checkText } from './text.ts'

// Joined, because this file is checked too.
const ALL_COLUMNS = ['select', '*'].join(' ')

test.each([
  ['services/a/parts/queries.ts', `sql\`${ALL_COLUMNS} from a.parts\``],
  ['services/a/migrations/0001_x.sql', `create view v as ${ALL_COLUMNS} from t;`],
  ['services/a/migrations/0001_x.sql', 'SELECT\n  p.* from p'],
])('%s with %p: a select lists its columns', (path, text) => {
  expect(checkText(path, text)).toEqual([expect.objectContaining({ path, rule: 'a select lists its columns' })])
})

test.each([
  'services/a/parts/utils.ts',
  'services/a/helpers/dates.ts',
  'services/kit/common/x.ts',
  'scripts/order-helpers.ts',
])('%s: refused, because a part of the path is not a name of the domain', (path) => {
  expect(checkText(path, '')).toEqual([
    expect.objectContaining({ rule: expect.stringContaining('is not a name of the domain') }),
  ])
})

test.each([
  ['services/a/x/queries.ts', 'sql`select count(*) from a.parts`'],
  ['services/a/migrations/0001_x.sql', `-- never ${ALL_COLUMNS}`],
  ['services/a/x/queries.ts', `  // never ${ALL_COLUMNS}\n/** or ${ALL_COLUMNS} */`],
  ['services/a/commonwealth.ts', ''],
])('%s with %p: allowed', (path, text) => {
  expect(checkText(path, text)).toEqual([])
})

test('a violation is reported with its line', () => {
  expect(checkText('a.sql', `-- one\n\n${ALL_COLUMNS}`)).toEqual([expect.objectContaining({ line: 3 })])
})
