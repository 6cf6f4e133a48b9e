import { join } from 'node:path'
import { emitAllAny } from '../../../services/kit/bus/outbox/emit.ts'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { createSecretBox } from '../../../services/kit/secrets/box.ts'
import { loadedEndpoint } from '../../../services/testing/load/deliveries.ts'
import type { Owner } from '../../../services/testing/load/owner.ts'
import { loadedOrganization } from '../../../services/testing/load/people.ts'
import { BUN } from '../../toolchain/checkout.ts'
import type { Context } from './context.ts'
import { DELIVERED, ENDPOINTS_OF_A_LIST, UNDELIVERED, urlOfService } from './database.ts'
import { type RunningServer, startServer } from './services.ts'

/** Each event is delivered to all endpoints of its organization. */
const ORGANIZATIONS = 5
const ENDPOINTS_OF_AN_ORGANIZATION = 10
/** Events of a transaction. */
export const EVENTS_AT_ONCE = 50
const DELIVERIES_AT_ONCE = EVENTS_AT_ONCE * ENDPOINTS_OF_AN_ORGANIZATION
export const EXPECTED_PER_SECOND = 8000
const BODY_BYTES = 1000
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
/** Polling more often would slow down the database. */
const POLL_MS = 50

/** Organizations without users that sign in. */
const busy = Array.from({ length: ORGANIZATIONS }, (_, at) => loadedOrganization(at + 2))
/** Its only endpoint keeps the time of arrival. */
export const TIMED = loadedOrganization(ORGANIZATIONS + 2)
/** Organizations whose endpoints never answer: one with many, and several with as many as an organization may have. */
export interface Noise {
  organizations: readonly string[]
  endpoints: number
}
export const NOISE: readonly Noise[] = [
  { organizations: ['org_noisy'], endpoints: 300 },
  { organizations: Array.from({ length: 20 }, (_, at) => `org_noisy_${at}`), endpoints: 50 },
]
const noisy = NOISE.flatMap(({ organizations }) => organizations)

/** What emits events and receives their deliveries. */
export interface Deliveries {
  owner: Owner
  producer: Pool
  receiver: RunningServer
}

/** Starts a receiver, with endpoints of several organizations. Deliveries of an earlier run are deleted. */
export async function startDeliveries(context: Context): Promise<Deliveries> {
  const { database, onStop } = context
  const receiver = await startServer(context, {
    name: 'webhook-receiver',
    command: [BUN, join(import.meta.dir, 'references', 'webhook-receiver.ts')],
    env: {},
    readyUrl: '/',
  })
  const producer = connect(urlOfService(database, 'sourcing'), {
    max: 1,
    applicationName: 'bench-producer',
  })
  onStop(() => producer.end({ timeout: 5 }))
  const owner = connect(database.ownerUrl, { max: 1, applicationName: 'bench-owner' })
  onStop(() => owner.end({ timeout: 5 }))
  const deliveries = { owner, producer, receiver }
  await createEndpoints(context, deliveries)
  await deliver(deliveries, 2)
  // Plans that were made over empty tables are replaced, as after the first minutes of a new marketplace.
  await owner`vacuum (analyze) webhooks.endpoints, webhooks.deliveries, webhooks.events, webhooks.attempts`
  return deliveries
}

/** The endpoints of an earlier run are replaced, and its deliveries are deleted. */
async function createEndpoints({ database }: Context, { owner, receiver }: Deliveries): Promise<void> {
  const box = await createSecretBox(database.secrets.encryptionKeys)
  const secret = await box.encrypt(SECRET)
  // Each table in a transaction of its own, because the service still claims the deliveries of the earlier run.
  for (const table of ['endpoints', 'events', 'attempts']) await owner`truncate webhooks.${owner(table)} cascade`
  await owner`delete from webhooks.deliveries where org_id = any(${[...busy, TIMED, ...noisy]})`
  const insert = (orgId: string, path: string, endpoints: number) => owner`
    insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
    select id, ${orgId}, ${receiver.url} || ${path}, array['cases.*'], 'active', ${secret}, now(), now()
    from unnest(${Array.from({ length: endpoints }, (_, at) => loadedEndpoint(orgId, at + 1))}::text[]) id`
  for (const orgId of busy) await insert(orgId, '/accepts', ENDPOINTS_OF_AN_ORGANIZATION)
  await insert(TIMED, '/timed', 1)
  for (const { organizations, endpoints } of NOISE) {
    for (const orgId of organizations) await insert(orgId, '/hangs', endpoints)
  }
  for (const orgId of [DELIVERED, UNDELIVERED]) await insert(orgId, '/accepts', ENDPOINTS_OF_A_LIST)
  await owner`vacuum (analyze) webhooks.endpoints, webhooks.deliveries`
}

/** Emits deliveries for some seconds' work and returns those recorded in a second. */
export async function deliver({ owner, producer }: Deliveries, seconds: number): Promise<number> {
  const startedMs = performance.now()
  const since = new Date().toISOString()
  const transactions = Math.ceil((seconds * EXPECTED_PER_SECOND) / DELIVERIES_AT_ONCE)
  for (let at = 0; at < transactions; at++) await emitEvents(producer, busy[at % busy.length] ?? '', EVENTS_AT_ONCE)
  await recorded(owner, since, transactions * EVENTS_AT_ONCE)
  return ((transactions * DELIVERIES_AT_ONCE) / (performance.now() - startedMs)) * 1000
}

/** Waits until the events that were emitted since a time are stored and their deliveries are recorded. */
export async function recorded(owner: Owner, since: string, events: number): Promise<void> {
  for (;;) {
    const [found] = await owner<{ stored: number; isSome: boolean }[]>`
      select (select count(*)::integer from webhooks.events where timestamp >= ${since}) as stored,
        exists (select from webhooks.deliveries where state = 'PENDING' and org_id <> all(${noisy})) as "isSome"`
    if (found && found.stored >= events && !found.isSome) return
    await Bun.sleep(POLL_MS)
  }
}

/** Deletes what endpoints that hang have not received. Requests in flight end with their time-out. */
export const silence = (owner: Owner) => owner`delete from webhooks.deliveries where org_id = any(${noisy})`

export const DATA = { text: 'x'.repeat(BODY_BYTES - 170) }

/** Emits events of one organization in a transaction. */
export const emitEvents = (producer: Pool, orgId: string, events: number) =>
  producer.begin((tx) =>
    emitAllAny(
      tx,
      Array.from({ length: events }, (_, at) => ({
        type: 'cases.updated',
        tenantId: orgId,
        subject: `case_${at}`,
        data: DATA,
      })),
    ),
  )
