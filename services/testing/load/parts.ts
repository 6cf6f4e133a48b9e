import type { Pool } from '../../kit/db/client.ts'

/**
 * Inserts parts of many organizations into an empty table under the owner's role, for load tests. Half are published, and
 * every tenth is internal. The titles use a small vocabulary, so that some words are common and others rare.
 */
export async function loadParts(owner: Pool, { count, organizations }: { count: number; organizations: number }) {
  // History is not needed, and building an index at the end is many times faster than filling it row by row.
  const indexes = await owner<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = 'sourcing.parts'::regclass and not indisunique`
  await owner`alter table sourcing.parts disable trigger part_history`
  for (const { name } of indexes) await owner.unsafe(`drop index ${name}`)
  for (let first = 1; first <= count; first += BATCH_SIZE) {
    await insertParts(owner, { first, last: Math.min(first + BATCH_SIZE - 1, count), count, organizations })
  }
  for (const { definition } of indexes) await owner.unsafe(definition)
  await owner`alter table sourcing.parts enable trigger part_history`
  await owner`vacuum (analyze) sourcing.parts`
}

/** Bounded, because a long transaction delays the event cursors of every database of the server. */
const BATCH_SIZE = 10_000

const insertParts = (
  owner: Pool,
  { first, last, count, organizations }: { first: number; last: number; count: number; organizations: number },
) => owner`
    insert into sourcing.parts (
      id, serial_number, ip_owner_org_id, state, title, external_ref, description, require_subscription, material_type,
      material_id, process_id, technology_ids, standard_ids, criticality_ids, category_ids, unspsc_category_ids, keywords,
      internal, unit_system, business_unit_ids, box_x, box_y, box_z, metadata, custom_fields, created_at, updated_at,
      published_at)
    select
      'part_' || lpad(n::text, 26, '0'), 'L-' || lpad(n::text, 8, '0'), 'org_' || (n % ${organizations}),
      case when n % 2 = 0 then 'PUBLISHED' else 'DRAFT' end,
      (array['Impeller', 'Wear ring', 'Casing', 'Shaft sleeve', 'Valve body', 'Bracket', 'Gear', 'Nozzle'])[1 + n % 8]
        || ' ' || md5(n::text),
      'REF-' || lpad((n::bigint * 7919 % ${count})::text, 8, '0'),
      'A part that stands for one of a real catalog: a description of some sentences, as people write them. ' || n,
      false, 'metal', '316l', 'pbf-metal', array['pbf-lb-m', 'pbf-eb-m'], array['iso-astm-52901'], '{}',
      array['iso-14224-pu'], array['40151503'], array['spare', 'pump'], n % 10 = 0, 'METRIC', '{}', n % 500, 120, 45.5,
      '{"pump": "P-101A"}', '[]', now() - make_interval(secs => ${count} - n), now() - make_interval(secs => ${count} - n),
      case when n % 2 = 0 then now() end
    from generate_series(${first}::int, ${last}::int) n`
