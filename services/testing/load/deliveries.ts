import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

/** The id of a loaded endpoint of an organization. */
export const loadedEndpoint = (orgId: string, number: number) =>
  `wh_${orgId.slice(-20)}${String(number).padStart(6, '0')}`

/**
 * Inserts delivered deliveries of an organization's endpoints into the empty table under the owner's role, for load
 * tests.
 */
export const loadDeliveries = (
  owner: Owner,
  { count, orgId, endpoints }: { count: number; orgId: string; endpoints: number },
) =>
  fill(
    owner,
    { tables: ['webhooks.deliveries'], count },
    ({ first, last }) => owner`
      insert into webhooks.deliveries
        (id, org_id, endpoint_id, event_id, event_time, type, state, next_attempt_at, created_at, finished_at)
      select 'dlv_' || lpad(n::text, 32, '0'), ${orgId},
        'wh_' || right(${orgId}, 20) || lpad((n % ${endpoints} + 1)::text, 6, '0'), 'evt_' || lpad(n::text, 26, '0'),
        now(), 'cases.updated', 'DELIVERED', now(), now(), now()
      from generate_series(${first}::integer, ${last}::integer) n`,
  )
