import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { SLOTS, SLOTS_PER_ENDPOINT } from '../../../services/webhooks/deliveries/slots.ts'
import type { State } from '../../toolchain/state.ts'
import { installNats } from '../../toolchain/test-servers.ts'
import { createEndpoints, deleteEndpoint, type Endpoint, setStatus } from './endpoints.ts'
import { Producer } from './producer.ts'
import {
  type Addresses,
  type Nats,
  type Postgres,
  prepareFolder,
  type Receiver,
  type Run,
  runScript,
  type ServiceVictim,
  startNats,
  startPostgres,
  startReceiver,
  startReplica,
  type Victim,
} from './programs.ts'
import { countReceipts, readReceipts } from './receipts.ts'
import { type Silence, tallyOf } from './tally.ts'

export type Driver = 'nats' | 'postgres'

export interface Options {
  events: number
  endpoints: number
  driver: Driver
}

export interface Result {
  driver: Driver
  sent: number
  received: number
  doubled: number
  /** Requests that were in flight at the kills, at most. */
  doubledAtMost: number
  lost: readonly string[]
  claimed: number
  late: number
  killed: Readonly<Record<string, number>>
  seconds: number
}

const REPLICAS = 2
const POLL_MS = 2000
/** Short runs kill each program once. */
const EVENTS_OF_A_ROUND = 5000
const MAX_ROUNDS = 4
/** The time in which the events between two kills are emitted. */
const EVENTS_PER_SECOND = 250
/** Longer than a lease and the first two retries. Then what has not arrived is lost. */
const WITHOUT_PROGRESS_MS = 150_000

interface Scene {
  postgres: Postgres
  nats: Nats | undefined
  receiver: Receiver
  relay: Victim
  replicas: readonly ServiceVictim[]
  addresses: Addresses
  owner: Pool
  endpoints: readonly Endpoint[]
  producer: Producer
}

/** Sends events while programs are killed, and compares what arrived with what was sent. */
export async function runChaos(
  { events, endpoints: count, driver }: Options,
  state: State,
  given: Run,
): Promise<Result> {
  const startedMs = performance.now()
  const since = new Date().toISOString()
  const run = { ...given, folder: join(given.folder, driver) }
  const { progress } = run
  await prepareFolder(run.folder)
  const scene = await startPrograms(count, driver, state, run)
  const { endpoints, receiver, owner } = scene
  const killed: Record<string, number> = {}
  const kill = async (victim: Victim) => {
    progress(`Killing ${victim.name} after ${await countReceipts(receiver.receipts)} requests`)
    await victim.kill()
    killed[victim.name] = (killed[victim.name] ?? 0) + 1
  }

  const rounds = Math.min(MAX_ROUNDS, Math.max(1, Math.floor(events / EVENTS_OF_A_ROUND)))
  const victims = Array.from({ length: rounds }, () => victimsOf(scene)).flat()
  const wipes = scene.nats ? 1 : 0
  const share = Math.floor(events / (victims.length + wipes + 1))
  const silences: Silence[] = []
  for (const [at, victim] of victims.entries()) {
    const before = await countReceipts(receiver.receipts)
    const emitting = scene.producer.emit(share, (share / EVENTS_PER_SECOND) * 1000)
    // A moment in which deliveries of the share are in flight.
    await arrived(receiver, before + share * count * 0.3 * Math.random() + 1, run)
    await kill(victim)
    await victim.start()
    await emitting
    if (at === Math.floor(victims.length / 2)) silences.push(...(await silence(scene, endpoints)))
  }
  if (scene.nats) await loseStream(scene, scene.nats, share, kill, since)
  await scene.producer.emit(events - share * (victims.length + wipes), 0)
  const [paused] = silences
  const [first] = scene.replicas
  const endpoint = endpoints.find(({ number }) => number === paused?.endpoint)
  if (paused && endpoint && first) {
    paused.untilMs = Date.now()
    await setStatus(endpoint, 'active', first.url)
  }
  await drain(scene, run)

  const expected = await expectedOf(scene, silences)
  const receipts = await readReceipts(receiver.receipts)
  const emitted = new Set((await owner<{ id: string }[]>`select id from sourcing.outbox`).map(({ id }) => id))
  const unrecorded = scene.producer.acknowledged.filter((id) => !emitted.has(id)).map((id) => `outbox ${id}`)
  const { lost, ...tally } = tallyOf(expected, receipts, silences, REPLICAS * SLOTS_PER_ENDPOINT)
  return {
    ...{ driver, ...tally, killed },
    lost: [...unrecorded, ...lost],
    sent: [...expected.values()].reduce((sum, ids) => sum + ids.length, 0),
    doubledAtMost: inFlightAt(scene, killed, count),
    seconds: Math.round((performance.now() - startedMs) / 1000),
  }
}

async function startPrograms(count: number, driver: Driver, state: State, run: Run): Promise<Scene> {
  const { progress, onStop, signal } = run
  progress(`Starting the programs, with the driver ${driver}`)
  const postgres = await startPostgres(state, run)
  const nats = driver === 'nats' ? await startNats(await installNats(run), run) : undefined
  const encryptionKeys = `chaos:${randomBytes(32).toString('base64')}`
  const addresses = { postgres, nats, encryptionKeys }
  await runScript(addresses, 'migrate')
  const owner = connect(postgres.ownerUrl, { max: 2, applicationName: 'chaos' })
  onStop(() => owner.end({ timeout: 1 }))
  const receiver = await startReceiver(run)
  const replicas: ServiceVictim[] = []
  for (let number = 1; number <= REPLICAS; number++) {
    replicas.push(await startReplica('webhooks', `webhooks-${number}`, addresses, run))
  }
  const relay = await startReplica('sourcing', 'relay', addresses, run)
  const [first] = replicas
  const url = first?.url ?? ''
  const endpoints = await createEndpoints(count, { ...addresses, owner, url, receiver, run })
  const orgIds = [...new Set(endpoints.map(({ orgId }) => orgId))]
  const producer = new Producer({ url: postgres.urlOf('sourcing'), orgIds, signal })
  onStop(producer.close)
  return { postgres, nats, receiver, relay, replicas, addresses, owner, endpoints, producer }
}

/** Each program once. */
const victimsOf = ({ replicas: [first, second], relay, nats, postgres, receiver }: Scene): Victim[] =>
  [first, relay, nats, second, postgres, receiver].filter((victim) => victim !== undefined)

/** Pauses one endpoint and deletes another. */
async function silence({ replicas }: Scene, endpoints: readonly Endpoint[]): Promise<Silence[]> {
  const [first, second] = replicas
  const [paused, deleted] = [endpoints[0], endpoints[1]]
  if (!first || !second || !paused || !deleted) throw new Error('two replicas and two endpoints are needed')
  const untilMs = Number.POSITIVE_INFINITY
  return [
    { endpoint: paused.number, fromMs: await setStatus(paused, 'paused', first.url), untilMs },
    { endpoint: deleted.number, fromMs: await deleteEndpoint(deleted, second.url), untilMs },
  ]
}

/** Empties the store of NATS while it has events that were not consumed, and fills it again as an operator does. */
async function loseStream(
  { nats: _, replicas, owner, producer, addresses }: Scene,
  nats: Nats,
  events: number,
  kill: (victim: Victim) => Promise<void>,
  since: string,
): Promise<void> {
  for (const replica of replicas) await kill(replica)
  await producer.emit(events, 0)
  while ((await owner`select from sourcing.outbox where sent_at is null limit 1`).length > 0) await Bun.sleep(50)
  await kill({ name: 'nats-server with its store', start: nats.start, kill: nats.wipe })
  await runScript(addresses, 'migrate')
  await Promise.all(replicas.map((replica) => replica.start()))
  await runScript(addresses, 'republish', '--since', since)
}

/** Waits until a number of requests has arrived, or no more arrive. */
async function arrived({ receipts }: Receiver, wanted: number, { signal }: Run): Promise<void> {
  let [last, lastMs] = [-1, performance.now()]
  for (;;) {
    signal.throwIfAborted()
    const now = await countReceipts(receipts)
    if (now >= wanted) return
    if (now !== last) [last, lastMs] = [now, performance.now()]
    if (performance.now() - lastMs > WITHOUT_PROGRESS_MS) return
    await Bun.sleep(5)
  }
}

/** Waits until all events are stored and all deliveries of existing endpoints are delivered. */
async function drain({ owner, receiver }: Scene, { signal, progress }: Run): Promise<void> {
  let [last, lastMs] = [-1, performance.now()]
  for (;;) {
    signal.throwIfAborted()
    const [left] = await owner<{ events: number; deliveries: number }[]>`
      select (select count(*) from sourcing.outbox)::integer - (select count(*) from webhooks.events)::integer as events,
        (select count(*)::integer from webhooks.deliveries d join webhooks.endpoints e on e.id = d.endpoint_id
          where d.state = 'PENDING') as deliveries`
    const receipts = await countReceipts(receiver.receipts)
    if (receipts !== last)
      progress(`${receipts} requests; ${left?.events} events and ${left?.deliveries} deliveries left`)
    if (left?.events === 0 && left.deliveries === 0) return
    if (receipts !== last) [last, lastMs] = [receipts, performance.now()]
    if (performance.now() - lastMs > WITHOUT_PROGRESS_MS) return
    await Bun.sleep(POLL_MS)
  }
}

/** The events that each endpoint must have received. */
async function expectedOf({ owner, endpoints }: Scene, [paused, deleted]: readonly Silence[]) {
  const events = Map.groupBy(
    await owner<{ id: string; org: string }[]>`select id, tenant_id as org from sourcing.outbox`,
    ({ org }) => org,
  )
  const expected = new Map<number, readonly string[]>()
  for (const { number, id, orgId } of endpoints) {
    if (number === deleted?.endpoint) continue
    // An event that was stored in the pause has no delivery to the paused endpoint.
    const ids =
      number === paused?.endpoint
        ? await owner<{ id: string }[]>`select event_id as id from webhooks.deliveries where endpoint_id = ${id}`
        : (events.get(orgId) ?? [])
    expected.set(
      number,
      ids.map((event) => event.id),
    )
  }
  return expected
}

/**
 * The most requests that a kill can repeat: those in flight of one replica, or of all if Postgres or the receiver dies.
 */
function inFlightAt(
  { replicas, postgres, receiver }: Scene,
  killed: Readonly<Record<string, number>>,
  endpoints: number,
) {
  const ofReplica = Math.min(SLOTS, endpoints * SLOTS_PER_ENDPOINT)
  const times = (victims: readonly Victim[]) => victims.reduce((sum, { name }) => sum + (killed[name] ?? 0), 0)
  return times(replicas) * ofReplica + times([postgres, receiver]) * replicas.length * ofReplica
}
