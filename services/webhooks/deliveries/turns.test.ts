import { expect, test } from 'bun:test'
import { until } from '../../testing/until.ts'
import { marketplaceWithWebhooks } from '../../testing/webhooks.ts'
import { DUE_CHANNEL } from './queries.ts'

const { market, receiver, endpoint, send, finished, remove } = await marketplaceWithWebhooks()
const { owner } = market.db

/** A notification as another replica sends it. */
const notify = (about?: readonly string[]) =>
  owner`select pg_notify(${DUE_CHANNEL}, ${JSON.stringify({ from: 'another replica', about })})`
/** Makes the retry of a failed delivery due, without an announcement. */
const makeDue = (endpointId: string) => owner`
  update webhooks.deliveries set next_attempt_at = now() where endpoint_id = ${endpointId} and state = 'PENDING'`

/** An endpoint with a delivery that has failed once. */
async function failedOnce() {
  const { id, path } = await endpoint()
  receiver.status = 500
  await send('cases.created')
  await until(
    async () =>
      (
        await owner`select from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id
    where d.endpoint_id = ${id} and d.lease_token is null`
      ).length === 1,
  )
  receiver.status = 200
  return { id, path }
}

/** Endpoints of other organizations, each with a due delivery, copied from one. */
const copies = (endpointId: string, count: number) => owner`
  with numbers as (select n from generate_series(1, ${count}::integer) n), copied as (
    insert into webhooks.endpoints select (jsonb_populate_record(e, jsonb_build_object(
      'id', '0copy_' || n, 'org_id', '0org_' || n))).*
    from webhooks.endpoints e, numbers where e.id = ${endpointId} returning id)
  insert into webhooks.deliveries select (jsonb_populate_record(d, jsonb_build_object(
    'id', '0copy_' || n, 'org_id', '0org_' || n, 'endpoint_id', '0copy_' || n, 'next_attempt_at', now()))).*
  from webhooks.deliveries d, numbers where d.endpoint_id = ${endpointId} and (select count(*) from copied) > 0`

test('a retry that becomes due is sent while the deliveries of another organization are announced without end', async () => {
  const { id, path } = await failedOnce()
  // The look for the deliveries of one organization takes longer than the sweep.
  await owner`
    insert into webhooks.endpoints select (jsonb_populate_record(e, '{"id": "0busy", "org_id": "0busy"}')).*
    from webhooks.endpoints e where e.id = ${id}`
  await owner.unsafe(`
    create function webhooks.is_read(org_id text) returns boolean language plpgsql as $$ begin
      if org_id = '0busy' then perform pg_sleep(0.3); end if;
      return true;
    end $$;
    alter table webhooks.endpoints enable row level security;
    create policy slow on webhooks.endpoints using (webhooks.is_read(org_id));`)
  let isEnded = false
  const announcing = (async () => {
    while (!isEnded) await notify(['0busy'])
  })()
  try {
    await makeDue(id)
    await until(() => receiver.at(path).length === 2, { withinMs: 6_000, what: 'the second attempt' })
  } finally {
    isEnded = true
    await announcing
    await owner.unsafe('alter table webhooks.endpoints disable row level security')
  }
  await finished(id, 'DELIVERED')
  await remove(id)
})

test('an endpoint behind many whose deliveries other replicas have is served before the next sweep', async () => {
  const { id, path } = await failedOnce()
  await copies(id, 70)
  await owner.begin(async (tx) => {
    await tx`select from webhooks.deliveries where endpoint_id like '0copy%' for update`
    await makeDue(id)
    const startedMs = performance.now()
    await notify()
    await until(() => receiver.at(path).length === 2, { what: 'the second attempt' })
    expect(performance.now() - startedMs).toBeLessThan(700)
    await tx`delete from webhooks.deliveries where endpoint_id like '0copy%'`
  })
  await remove(id)
})
