import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

interface CasesToLoad {
  count: number
  organizations: number
}

/** The organization with half of all loaded cases, and one with about twenty. */
export const LARGEST = 'org_0'
export const loadedCaseOrg = (number: number) => `org_${number}`

/**
 * Inserts cases into empty tables under the owner's role, for load tests. Half of them belong to `LARGEST`, the others
 * to the other organizations in turn. OPEN, QUALITY and order cases are rare and old, which is the worst case of a
 * filter.
 */
export const loadCases = (owner: Owner, { count, organizations }: CasesToLoad) =>
  fill(
    owner,
    { tables: ['sourcing.cases', 'sourcing.case_parties'], count },
    ({ first, last }) => owner`
    with loaded as (
      select n, 'org_' || case when n % 2 = 0 then 0 else 1 + (n / 2) % (${organizations}::int - 1) end as org_id,
        n <= 100 as is_old
      from generate_series(${first}::int, ${last}::int) n
    )
    insert into sourcing.cases (
      id, kind, state, title, rfq_id, order_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
    select 'case_' || lpad(n::text, 26, '0'), case when is_old then 'QUALITY' else 'SOURCING' end,
      case when is_old then 'OPEN' when n % 3 = 0 then 'ARCHIVED' else 'CLOSED' end, 'Request for quotation ' || n,
      case when not is_old then 'rfq_' || n / 4 end, case when is_old then 'order_' || n % 10 end, org_id,
      array[org_id, 'org_' || (n % ${organizations}) || 'b'], false,
      now() - make_interval(secs => ${count} - n), now() - make_interval(secs => ${count} - n)
    from loaded`,
  )
