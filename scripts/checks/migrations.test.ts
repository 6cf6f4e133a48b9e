import { expect, test } from 'bun:test'
import { contractions, isLater } from './migrations.ts'

test.each([
  'alter table parts add column finish text;',
  "alter table parts add column finish text not null default 'NONE', add column note text;",
  '-- no transaction\ncreate index concurrently parts_finish on parts (finish);',
  'create table finishes (id text primary key, name text not null);\ncreate index finishes_name on finishes (name);',
  'alter table parts add constraint finish_known check (finish is not null) not valid;',
  'create or replace function f() returns void language sql as $$ alter table parts drop column finish $$;',
  '-- A later release will drop table parts.\nalter table parts add column finish text;',
])('%p only expands: accepted', (text) => expect(contractions(text)).toEqual([]))

test.each([
  ['drop table parts;', /^drops/],
  ['alter table parts drop column title;', /^drops/],
  ['alter table parts rename column title to name;', /^renames/],
  ['alter table parts alter column title type varchar(10);', /^changes the type/],
  ['alter table parts alter column title set not null;', /^forbids null/],
  ['alter table parts add column finish text not null;', /^adds a column/],
  ['alter table parts add column a text default 1, add column finish text not null;', /^adds a column/],
  ['alter table parts add constraint c check (a > 0);', /^adds a constraint/],
  ['create index parts_finish on parts (finish);', /without `concurrently`/],
  ['create index concurrently parts_finish on parts (finish);', /first line/],
])('%p does not only expand: refused with the reason', (text, rule) => {
  expect(contractions(text)).toEqual([expect.stringMatching(rule)])
})

test('migrations after those of the first release are checked', () => {
  expect(isLater('services/kit/migrations/0004_page_cursors.sql')).toBe(false)
  expect(isLater('services/kit/migrations/0005_more.sql')).toBe(true)
  expect(isLater('services/new/migrations/0001_first.sql')).toBe(true)
})
