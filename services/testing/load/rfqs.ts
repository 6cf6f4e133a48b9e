import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

interface RfqsToLoad {
  count: number
  organizations: number
  /** Whether the manufacturers are invited, which takes longer than the RFQs. */
  invitations?: boolean
}

/** The consumer, IP owner and manufacturer with half of all loaded RFQs, and one with about ten. */
export const LARGEST = 'org_0'
export const loadedRfqOrg = (number: number) => `org_${number}`

/**
 * Inserts RFQs into empty tables under the owner's role, for load tests. Half of them belong to `LARGEST` in every
 * role, the others to the other organizations in turn. Each has two invitees unless it is a draft. Most have expired;
 * drafts, live RFQs and CANCELLED ones are rare and old, which is the worst case of a filter.
 */
export const loadRfqs = (owner: Owner, { count, organizations, invitations = true }: RfqsToLoad) =>
  fill(
    owner,
    {
      tables: ['sourcing.rfqs', 'sourcing.rfq_invitations'],
      without: { rfq_history: 'sourcing.rfqs' },
      count,
    },
    async (rows) => {
      await insertRfqs(owner, { ...rows, count, organizations })
      if (invitations) await insertInvitations(owner, rows)
    },
  )

const insertRfqs = (
  owner: Owner,
  { first, last, count, organizations }: { first: number; last: number; count: number; organizations: number },
) =>
  owner`
    with loaded as (
      select n, case when n % 2 = 0 then 0 else 1 + (n / 2) % (${organizations}::int - 1) end as org,
        case when n <= 40 then 'DRAFT' when n <= 80 then 'CANCELLED' when n <= 120 then 'OPEN'
          when n % 3 = 0 then 'AWARDED' else 'CLOSED' end as state,
        (array['Impeller', 'Wear ring', 'Casing', 'Shaft sleeve', 'Valve body', 'Bracket', 'Gear', 'Nozzle'])[1 + n % 8]
          || ' ' || md5((n % 5000)::text) as title
      from generate_series(${first}::int, ${last}::int) n
    )
    insert into sourcing.rfqs (
      id, serial_number, part_id, part_title, owner_part_title, part_serial_number, consumer_org_id, ip_owner_org_id,
      state, terms, manufacturer_ids, expires_at, expired, cancel_reason,
      created_at, updated_at, published_at, version, part_revision)
    select 'rfq_' || lpad(n::text, 26, '0'), 'R-' || lpad(n::text, 8, '0'), 'part_' || n % 5000,
      title, title,
      'P-' || lpad((n % 5000)::text, 8, '0'), 'org_' || org, 'org_' || org, state,
      json_build_object('currency', 'EUR', 'deliveryRegionCode', 'DK', 'quantities', array[10, 50],
        'requirements', 'First article inspection of one piece, as people write it. ' || n, 'sealed', n % 2 = 0),
      array['org_' || org, 'org_' || (org + 1) % ${organizations}],
      case when n <= 120 then now() + interval '30 days' else now() - interval '1 day' end, n > 120,
      case when state = 'CANCELLED' then 'Not needed.' end,
      now() - make_interval(secs => ${count} - n), now() - make_interval(secs => ${count} - n),
      case when state <> 'DRAFT' then now() end, case when state <> 'DRAFT' then 1 end,
      case when state <> 'DRAFT' then 1 end
    from loaded`

/** Two for each RFQ that is no draft. */
const insertInvitations = (owner: Owner, { first, last }: { first: number; last: number }) => owner`
    insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at)
    select id, unnest(manufacturer_ids), published_at from sourcing.rfqs
    where id >= ${`rfq_${String(first).padStart(26, '0')}`} and id <= ${`rfq_${String(last).padStart(26, '0')}`}
      and published_at is not null`
