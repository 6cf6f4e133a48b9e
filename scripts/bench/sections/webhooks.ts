import { join } from 'node:path'
import { MAX_ENDPOINTS } from '../../../proto/http/webhooks/endpoints.ts'
import { emitAll } from '../../../services/kit/bus/outbox/emit.ts'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { createSecretBox } from '../../../services/kit/secrets/box.ts'
import type { Owner } from '../../../services/testing/load/owner.ts'
import { loadedOrganization } from '../../../services/testing/load/people.ts'
import { signatureOf } from '../../../services/webhooks/deliveries/signature.ts'
import { serviceUrl } from '../../local/secrets.ts'
import { BUN } from '../../toolchain/checkout.ts'
import { compareRates, count, median, type Row, type Run } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { ORDINARY } from '../database.ts'
import { timesOf as timesOfRequests } from '../lists.ts'
import { type RunningServer, signIn, startServer } from '../services.ts'
import { memoryOf } from './memory.ts'

/** Each event is delivered to all endpoints of its organization. */
const ORGANIZATIONS = 5
const ENDPOINTS_OF_AN_ORGANIZATION = 10
const EVENTS_AT_ONCE = 50
const DELIVERIES_AT_ONCE = EVENTS_AT_ONCE * ENDPOINTS_OF_AN_ORGANIZATION
/** Requests of the bare loop at the same time: as many as the engine has for these endpoints. */
const CONCURRENCY = 256
const BODY_BYTES = 1000
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const HANGING_ENDPOINTS = 300
const MANY_DELIVERIES = 1_000_000
const GROWTH_ROUNDS = 50
const EXPECTED_PER_SECOND = 2500
const LIST_REQUESTS = 500
const LOADED_AT_ONCE = 100_000
/** Polling more often would slow down the database. */
const POLL_MS = 50

/** Organizations without users that sign in. */
const busy = Array.from({ length: ORGANIZATIONS }, (_, at) => loadedOrganization(at + 2))
const timed = loadedOrganization(ORGANIZATIONS + 2)
const noisy = loadedOrganization(ORGANIZATIONS + 3)

interface Bench {
  owner: Owner
  producer: Pool
  receiver: RunningServer
}

/** Deliveries of webhooks: rate, latency, isolation and memory of one replica. */
export const measureWebhooks: Section = async function* (context) {
  const { database, pace, services } = context
  const receiver = await startServer(context, {
    name: 'webhook-receiver',
    command: [BUN, join(import.meta.dir, '..', 'references', 'webhook-receiver.ts')],
    env: {},
    readyUrl: '/',
  })
  const producer = connect(serviceUrl(database.ownerUrl, 'sourcing', database.secrets), {
    max: 1,
    applicationName: 'bench-producer',
  })
  context.onStop(() => producer.end({ timeout: 5 }))
  const owner = connect(database.ownerUrl, { max: 1, applicationName: 'bench-owner' })
  context.onStop(() => owner.end({ timeout: 5 }))
  const bench = { owner, producer, receiver }
  await createEndpoints(context, bench)

  const rate: { figures: number[] } = { figures: [] }
  const ours: Run = async (seconds) => {
    const figure = await deliver(bench, seconds)
    rate.figures.push(figure)
    return figure
  }
  await deliver(bench, 2)
  // Plans that were made over empty tables are replaced, as after the first minutes of a new marketplace.
  await owner`vacuum (analyze) webhooks.endpoints, webhooks.deliveries, webhooks.events, webhooks.attempts`
  yield* compareRates({
    what: 'webhook deliveries, from emitted to recorded',
    ours: { 'one replica': ours },
    references: [
      {
        name: 'a loop that signs and posts',
        side: { [`${CONCURRENCY} requests at once`]: (seconds) => signAndPost(receiver, seconds) },
        atLeast: 0.5,
      },
    ],
    pace: { ...pace, seconds: Math.max(pace.seconds, 2) },
  })
  const memory = await memoryOf(services.webhooks.pid)
  yield {
    what: 'memory of one replica after full load',
    ours: `private ${memory.own.toFixed()} MB, shared ${memory.shared.toFixed()} MB`,
    reference: '',
    result: memory.own + memory.shared,
    unit: 'MB',
    wanted: { atMost: 150 },
  }
  yield* measureLatency(context, bench, Math.max(...rate.figures) / 10)
  // A run with --quick has fewer rounds.
  const isFull = pace.rounds >= 5
  if (isFull) yield await measureGrowth(context, bench, memory.own)
  yield await measureList(context, bench, isFull ? 10_000_000 : 100_000)
}

/** The memory that a million deliveries leave behind. */
async function measureGrowth({ services, progress }: Context, bench: Bench, before: number): Promise<Row> {
  progress(`Webhooks: ${count(MANY_DELIVERIES)} deliveries`)
  for (let round = 0; round < GROWTH_ROUNDS; round++) {
    await deliver(bench, MANY_DELIVERIES / GROWTH_ROUNDS / EXPECTED_PER_SECOND)
  }
  const { own } = await memoryOf(services.webhooks.pid)
  return {
    what: `growth of the memory by ${count(MANY_DELIVERIES)} deliveries`,
    ours: `private ${own.toFixed()} MB`,
    reference: `private ${before.toFixed()} MB`,
    result: own - before,
    unit: 'MB',
    wanted: { atMost: 15 },
  }
}

/** The list of endpoints with many deliveries behind it, against the same list with none. */
async function measureList(context: Context, { owner }: Bench, deliveries: number): Promise<Row> {
  const client = await signIn(context, 'webhooks', ORDINARY)
  const paths = Array.from({ length: LIST_REQUESTS }, () => '/v2.3/webhooks/endpoints')
  await timesOfRequests(client, paths)
  const none = median(await timesOfRequests(client, paths))
  context.progress(`Webhooks: loading ${count(deliveries)} deliveries`)
  for (let first = 1; first <= deliveries; first += LOADED_AT_ONCE) {
    await owner`
      insert into webhooks.deliveries
        (id, org_id, endpoint_id, event_id, event_time, type, state, next_attempt_at, created_at, finished_at)
      select 'dlv_' || n, e.org_id, e.id, 'evt_' || n, now(), 'cases.updated', 'DELIVERED', now(), now(), now()
      from generate_series(${first}::integer, ${Math.min(first + LOADED_AT_ONCE - 1, deliveries)}::integer) n
      join (select id, org_id, row_number() over (order by id) as number from webhooks.endpoints where org_id = ${ORDINARY}) e
        on e.number = n % ${MAX_ENDPOINTS} + 1`
  }
  const many = median(await timesOfRequests(client, paths))
  return {
    what: `GET /v2.3/webhooks/endpoints with ${count(deliveries)} deliveries ÷ with none`,
    ours: `${many.toFixed(2)} ms`,
    reference: `${none.toFixed(2)} ms`,
    result: many / none,
    wanted: { atMost: 1.25 },
  }
}

/** Emits deliveries for some seconds' work and returns those recorded in a second. */
async function deliver({ owner, producer }: Bench, seconds: number): Promise<number> {
  const startedMs = performance.now()
  const since = new Date().toISOString()
  const transactions = Math.ceil((seconds * EXPECTED_PER_SECOND) / DELIVERIES_AT_ONCE)
  for (let at = 0; at < transactions; at++) await emitEvents(producer, busy[at % busy.length] ?? '', EVENTS_AT_ONCE)
  await recorded(owner, since, transactions * EVENTS_AT_ONCE)
  return ((transactions * DELIVERIES_AT_ONCE) / (performance.now() - startedMs)) * 1000
}

/** Waits until the events that were emitted since a time are stored and their deliveries are recorded. */
async function recorded(owner: Owner, since: string, events: number): Promise<void> {
  for (;;) {
    const [found] = await owner<{ stored: number; isSome: boolean }[]>`
      select (select count(*)::integer from webhooks.events where timestamp >= ${since}) as stored,
        exists (select from webhooks.deliveries where state = 'PENDING' and org_id <> ${noisy}) as "isSome"`
    if (found && found.stored >= events && !found.isSome) return
    await Bun.sleep(POLL_MS)
  }
}

const data = { text: 'x'.repeat(BODY_BYTES - 170) }

const emitEvents = (producer: Pool, orgId: string, events: number) =>
  producer.begin((tx) =>
    emitAll(
      tx,
      Array.from({ length: events }, (_, at) => ({
        type: 'cases.updated',
        tenantId: orgId,
        subject: `case_${at}`,
        data,
      })),
    ),
  )

async function signAndPost({ url }: RunningServer, seconds: number): Promise<number> {
  const body = JSON.stringify({ id: '', type: 'cases.updated', tenant_id: '', data })
  const startedMs = performance.now()
  let posted = 0
  const loop = async () => {
    while (performance.now() - startedMs < seconds * 1000) {
      const [id, timestamp] = [`evt_${posted}`, Math.floor(Date.now() / 1000)]
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatureOf(SECRET, { id, timestamp, body }),
      }
      const answer = await fetch(`${url}/accepts`, { method: 'POST', headers, body })
      await answer.arrayBuffer()
      posted++
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, loop))
  return (posted / (performance.now() - startedMs)) * 1000
}

/** The time from an accepted event to its arrival at a tenth of the full load, quiet and beside endpoints that hang. */
async function* measureLatency({ pace, progress }: Context, bench: Bench, perSecond: number): AsyncGenerator<Row> {
  progress(`Webhooks: ${count(Math.round(perSecond))} deliveries a second`)
  const seconds = Math.max(pace.seconds * 5, 5)
  await timesOf(bench, perSecond, 2)
  const quiet = await timesOf(bench, perSecond, seconds)
  const at = (times: readonly number[], share: number) =>
    times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN
  const what = 'from an emitted event to its delivery, at a tenth of the load'
  const ours = `${count(quiet.length)} deliveries`
  yield { what: `p50 ${what}`, ours, reference: '', result: at(quiet, 0.5), unit: 'ms', wanted: { atMost: 20 } }
  yield { what: `p99 ${what}`, ours, reference: '', result: at(quiet, 0.99), unit: 'ms', wanted: { atMost: 100 } }
  const since = new Date().toISOString()
  await emitEvents(bench.producer, noisy, EVENTS_AT_ONCE)
  await recorded(bench.owner, since, EVENTS_AT_ONCE)
  const loud = await timesOf(bench, perSecond, seconds)
  yield {
    what: `p99 beside ${HANGING_ENDPOINTS} endpoints that hang ÷ p99 without them`,
    ours: `${at(loud, 0.99).toFixed(1)} ms`,
    reference: `${at(quiet, 0.99).toFixed(1)} ms`,
    result: at(loud, 0.99) / at(quiet, 0.99),
    wanted: { atMost: 2 },
  }
}

/** Emits events of an organization with one endpoint at a steady rate; returns the time of each until it arrived. */
async function timesOf({ producer, receiver }: Bench, perSecond: number, seconds: number): Promise<number[]> {
  await fetch(`${receiver.url}/arrivals`)
  const accepted = new Map<string, number>()
  const startedMs = performance.now()
  const total = Math.round(perSecond * seconds)
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedMs) / 1000) * perSecond))
    if (sent < due) {
      const events = Array.from({ length: due - sent }, (_, at) => ({
        type: 'cases.updated',
        tenantId: timed,
        subject: `case_${sent + at}`,
        data,
      }))
      sent = due
      const ids = await producer.begin((tx) => emitAll(tx, events))
      for (const id of ids) accepted.set(id, performance.timeOrigin + performance.now())
    }
    await Bun.sleep(2)
  }
  const arrivals: Record<string, number> = {}
  for (const deadlineMs = performance.now() + 30_000; performance.now() < deadlineMs; await Bun.sleep(100)) {
    Object.assign(arrivals, await (await fetch(`${receiver.url}/arrivals`)).json())
    if (Object.keys(arrivals).length >= accepted.size) break
  }
  return [...accepted].map(([id, acceptedMs]) => (arrivals[id] ?? Number.POSITIVE_INFINITY) - acceptedMs)
}

/** The endpoints of an earlier run are replaced, and its deliveries are deleted. */
async function createEndpoints({ database }: Context, { owner, receiver }: Bench): Promise<void> {
  const box = await createSecretBox(database.secrets.encryptionKeys)
  const secret = await box.encrypt(SECRET)
  // Each table in a transaction of its own, because the service still claims the deliveries of the earlier run.
  for (const table of ['endpoints', 'deliveries', 'events', 'attempts']) await owner`truncate webhooks.${owner(table)}`
  const insert = (orgId: string, path: string, endpoints: number) => owner`
    insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
    select 'wh_' || right(${orgId}, 20) || lpad(number::text, 6, '0'), ${orgId}, ${receiver.url} || ${path},
      array['cases.*'], 'active', ${secret}, now(), now()
    from generate_series(1, ${endpoints}) number`
  for (const orgId of busy) await insert(orgId, '/accepts', ENDPOINTS_OF_AN_ORGANIZATION)
  await insert(timed, '/timed', 1)
  await insert(noisy, '/hangs', HANGING_ENDPOINTS)
  await insert(ORDINARY, '/accepts', MAX_ENDPOINTS)
  await owner`vacuum (analyze) webhooks.endpoints, webhooks.deliveries`
}
