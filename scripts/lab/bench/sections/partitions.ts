import { asOwner, type Owner } from '../../../../services/testing/load/owner.ts'
import { compareRates, msOf, type Row } from '../compare.ts'
import type { Section } from '../context.ts'
import { type Database, idOf } from '../database.ts'
import { pgbenchSide, type Script } from '../pgbench.ts'

/** Each loaded part is copied as often, under other ids. */
const COPIES = 3
const PARTITIONS = 16
const CLIENTS = [4]
const TABLES = { plain: 'bench_parts.plain', hashed: 'bench_parts.hashed' }

/**
 * The table of parts in hash partitions by id, with a registry of serial numbers, beside the same rows in one table:
 * pages, searches, inserts, the time of building indexes and of a vacuum. Both have the product's columns and indexes.
 */
export const measurePartitions: Section = async function* (context) {
  const { database, pace, progress } = context
  const owned = await asOwner(database.ownerUrl, async (owner) => {
    await createTables(owner)
    for (const table of Object.values(TABLES)) {
      progress(`Copying ${COPIES} × the parts to ${table}`)
      await fill(owner, table)
    }
    const [row] = await owner<{ id: string }[]>`
      select ip_owner_org_id as id from sourcing.parts group by 1 order by count(*) desc limit 1`
    return row?.id ?? ''
  })
  yield* measureMaintenance(database)
  for (const [what, scriptOf] of [
    ['a page of public parts', publicPage],
    ['a page of an owner', pageOf(owned)],
    ['a look-up', lookUp],
    ['a search', search],
    ['an insert', insert],
  ] as const) {
    yield* compareRates({
      what: `${what}, ${PARTITIONS} hash partitions`,
      ours: pgbenchSide(database, 'sourcing', scriptOf(TABLES.hashed), CLIENTS),
      references: [
        { name: 'one table', side: pgbenchSide(database, 'sourcing', scriptOf(TABLES.plain), CLIENTS), atLeast: 0.9 },
      ],
      pace,
    })
  }
  await asOwner(database.ownerUrl, (owner) => owner`drop schema bench_parts cascade`)
}

async function createTables(owner: Owner): Promise<void> {
  await owner.unsafe(`
    drop schema if exists bench_parts cascade;
    create schema bench_parts;
    create sequence bench_parts.ids;
    create table bench_parts.serial_numbers (serial_number text collate "C" primary key, part_id text not null);
    create table ${TABLES.plain} (like sourcing.parts including defaults including generated);
    create table ${TABLES.hashed} (like sourcing.parts including defaults including generated) partition by hash (id)`)
  for (let at = 0; at < PARTITIONS; at++) {
    await owner.unsafe(`
      create table bench_parts.hashed_${at} partition of ${TABLES.hashed}
      for values with (modulus ${PARTITIONS}, remainder ${at})`)
  }
}

/** The columns that are not generated. */
const COLUMNS = `ip_owner_org_id, state, content, business_unit_ids, custom_fields, technology_ids, preview_file_id,
  revision, created_at, updated_at, published_at, document, owner_document`

async function fill(owner: Owner, table: string): Promise<void> {
  for (let copy = 0; copy < COPIES; copy++) {
    await owner.unsafe(`
      insert into ${table} (id, serial_number, ${COLUMNS})
      select id || '_' || lpad('${copy}', 2, '0'), serial_number || '_' || '${copy}', ${COLUMNS} from sourcing.parts`)
  }
}

async function* measureMaintenance({ ownerUrl }: Database): AsyncGenerator<Row> {
  yield* asTimes(ownerUrl, 'building the indexes', async (owner, table) => {
    const indexes = await owner<{ definition: string; unique: boolean }[]>`
      select pg_get_indexdef(indexrelid) as definition, indisunique and not indisprimary as unique
      from pg_index where indrelid = 'sourcing.parts'::regclass`
    for (const { definition, unique } of indexes) {
      // Serial numbers are unique in the registry, because a unique index of a partition contains its key.
      if (unique && table === TABLES.hashed) continue
      await owner.unsafe(definition.replace(/INDEX \S+ ON sourcing\.parts/, `INDEX ON ${table}`))
    }
    if (table !== TABLES.hashed) return
    await owner.unsafe(`insert into bench_parts.serial_numbers select serial_number, id from ${table}`)
  })
  yield* asTimes(ownerUrl, 'vacuum after a tenth of the rows has changed', async (owner, table) => {
    await owner.unsafe(`update ${table} set revision = revision + 1 where id like '%\\_00'`)
    await owner.unsafe(`vacuum (analyze) ${table}`)
  })
  await asOwner(ownerUrl, (owner) =>
    owner.unsafe(`
      grant usage on schema bench_parts to public;
      grant all on all tables in schema bench_parts to public;
      grant all on all sequences in schema bench_parts to public`),
  )
}

async function* asTimes(
  ownerUrl: string,
  what: string,
  work: (owner: Owner, table: string) => Promise<void>,
): AsyncGenerator<Row> {
  const timeOf = (table: string) => asOwner(ownerUrl, (owner) => msOf(() => work(owner, table)))
  const [plain, hashed] = [await timeOf(TABLES.plain), await timeOf(TABLES.hashed)]
  yield {
    what: `${what}, ${PARTITIONS} hash partitions ÷ one table`,
    ours: `${hashed.toFixed()} ms`,
    reference: `${plain.toFixed()} ms`,
    result: hashed / plain,
    wanted: { atMost: 1.1 },
  }
}

const PUBLIC = `state = 'PUBLISHED' and not internal`

const publicPage = (table: string): Script => ({
  text: `select document from ${table} where ${PUBLIC} order by id desc limit 11;\n`,
  variables: {},
})

const pageOf =
  (owner: string) =>
  (table: string): Script => ({
    text: `select document from ${table} where ip_owner_org_id = :owner order by id desc limit 11;\n`,
    variables: { owner },
  })

const lookUp = (table: string): Script => ({
  text: `\\set n random(1, 100000)\nselect document from ${table} where id = 'part_' || lpad(:n::text, 26, '0') || '_01';\n`,
  variables: {},
})

const search = (table: string): Script => ({
  text: `select document from ${table} where ${PUBLIC} and search ilike :pattern order by id desc limit 11;\n`,
  variables: { pattern: '%77a7%' },
})

/** On partitions the registry of serial numbers takes an insert more. */
const insert = (table: string): Script => {
  const registry =
    table === TABLES.hashed
      ? `insert into bench_parts.serial_numbers values ('B-' || :n::text, 'part_B' || :n::text);\n`
      : ''
  return {
    text: `select nextval('bench_parts.ids') as n \\gset
begin;
${registry}insert into ${table} (id, serial_number, ${COLUMNS.replaceAll(/\s+/g, ' ')})
select 'part_B' || :n::text, 'B-' || :n::text, ${COLUMNS.replaceAll(/\s+/g, ' ')} from sourcing.parts where id = '${idOf('part', 14)}';
commit;
`,
    variables: {},
  }
}
