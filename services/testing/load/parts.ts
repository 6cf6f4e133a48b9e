import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

/**
 * Inserts parts of many organizations into an empty table under the owner's role, for load tests. Half are published, and
 * every tenth is internal. The titles use a small vocabulary, so that some words are common and others rare.
 */
export const loadParts = (owner: Owner, { count, organizations }: { count: number; organizations: number }) =>
  fill(owner, { tables: ['sourcing.parts'], without: { part_history: 'sourcing.parts' }, count }, (rows) =>
    insertParts(owner, { ...rows, count, organizations }),
  )

const insertParts = (
  owner: Owner,
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
