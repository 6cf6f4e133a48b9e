import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

/**
 * Inserts parts of many organizations into an empty table under the owner's role, for load tests. Half are published,
 * and every tenth is internal. The titles use a small vocabulary, so that some words are common and others rare.
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
      id, serial_number, ip_owner_org_id, state, content, technology_ids, created_at, updated_at, published_at)
    select
      'part_' || lpad(n::text, 26, '0'), 'L-' || lpad(n::text, 8, '0'), 'org_' || (n % ${organizations}),
      case when n % 2 = 0 then 'PUBLISHED' else 'DRAFT' end,
      json_build_object(
        'title', (array['Impeller', 'Wear ring', 'Casing', 'Shaft sleeve', 'Valve body', 'Bracket', 'Gear', 'Nozzle'])[1 + n % 8]
          || ' ' || md5(n::text),
        'externalRef', 'REF-' || lpad((n::bigint * 7919 % ${count})::text, 8, '0'),
        'description', 'A part that stands for one of a real catalog: a description of some sentences, as people write them. ' || n,
        'materialType', 'metal', 'materialId', '316l', 'processId', 'pbf-metal', 'unitSystem', 'METRIC',
        'boundingBox', json_build_object('x', n % 500, 'y', 120, 'z', 45.5),
        'requireSubscription', false, 'internal', n % 10 = 0,
        'standardIds', array['iso-astm-52901'], 'criticalityIds', '[]'::json, 'categoryIds', array['iso-14224-pu'],
        'unspscCategoryIds', array['40151503'], 'keywords', array['spare', 'pump'],
        'metadata', json_build_object('pump', 'P-101A')),
      array['pbf-lb-m', 'pbf-eb-m'], now() - make_interval(secs => ${count} - n), now() - make_interval(secs => ${count} - n),
      case when n % 2 = 0 then now() end
    from generate_series(${first}::int, ${last}::int) n`
