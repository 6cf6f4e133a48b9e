import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contractions, isLater } from './migrations.ts'

const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
afterAll(() => rm(folder, { recursive: true }))

const rulesOf = async (text: string) => {
  const file = join(folder, `${crypto.randomUUID()}.sql`)
  await Bun.write(file, text)
  return (await contractions([file])).map(({ rule }) => rule)
}

test.each([
  'alter table parts add column finish text;',
  "alter table parts add column finish text not null default 'NONE', add column note text;",
  '-- no transaction\ncreate index concurrently parts_finish on parts (finish);',
  'create table finishes (id text primary key, name text not null);\ncreate index finishes_name on finishes (name);',
  'alter table parts add constraint finish_known check (finish is not null) not valid;',
  'create or replace function f() returns void language sql as $$ alter table parts drop column finish $$;',
  '-- A later release will drop table parts.\nalter table parts add column finish text;',
])('%p only expands: accepted', async (text) => expect(await rulesOf(text)).toEqual([]))

test.each([
  ['drop table parts;', 'ban-drop-table'],
  ['drop view parts_list;', 'ban-drop-view'],
  ['drop function f();', 'ban-drop-function'],
  ['drop type state;', 'ban-drop-type'],
  ['alter table parts drop column title;', 'ban-drop-column'],
  ['alter table parts rename column title to name;', 'renaming-column'],
  ['alter table parts rename to pieces;', 'renaming-table'],
  ['alter table parts alter column title type bigint;', 'changing-column-type'],
  ['alter table parts alter column title set not null;', 'adding-not-nullable-field'],
  ['alter table parts add column finish text not null;', 'adding-required-field'],
  ['alter table parts add column a text default 1, add column finish text not null;', 'adding-required-field'],
  ['alter table parts add constraint c check (a > 0);', 'constraint-missing-not-valid'],
  ['create index parts_finish on parts (finish);', 'require-concurrent-index-creation'],
  ['create index concurrently parts_finish on parts (finish);', 'no-transaction'],
])('%p does not only expand: refused by %s', async (text, rule) => {
  expect(await rulesOf(text)).toEqual([rule])
})

test('migrations after those of the first release are checked', () => {
  expect(isLater('services/kit/migrations/0006_job_turns.sql')).toBe(false)
  expect(isLater('services/kit/migrations/0007_more.sql')).toBe(true)
  expect(isLater('services/new/migrations/0001_first.sql')).toBe(true)
})
