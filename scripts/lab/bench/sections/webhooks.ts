import { emitAllAny } from '../../../../services/kit/bus/outbox/emit.ts'
import { signatureOf } from '../../../../services/webhooks/deliveries/signature.ts'
import { compareRates, count, median, type Row, type Run, rounds, timeRatio } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { cpuDuring, postmasterOf } from '../cpu.ts'
import { DELIVERED, UNDELIVERED } from '../database.ts'
import {
  DATA,
  type Deliveries,
  deliver,
  EVENTS_AT_ONCE,
  emitEvents,
  NOISE,
  recorded,
  SECRET,
  silence,
  startDeliveries,
  TIMED,
} from '../deliveries.ts'
import { timeOf } from '../lists.ts'
import { type RunningServer, signIn } from '../services.ts'
import { memoryOf } from './memory.ts'

/** Requests of the bare loop at the same time: as many as the engine has for these endpoints. */
const CONCURRENCY = 256
const LIST_REQUESTS = 500
/** The worst of these must meet the wanted value, because a lucky one proves nothing. */
const ROUNDS = 5

/** Deliveries of webhooks: rate, latency, isolation and memory of one replica. */
export const measureWebhooks: Section = async function* (context) {
  const { pace, services } = context
  const bench = await startDeliveries(context)
  const { receiver } = bench
  const rate: { figures: number[] } = { figures: [] }
  const ours: Run = async (seconds) => {
    const figure = await deliver(bench, seconds)
    rate.figures.push(figure)
    return figure
  }
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
  yield* measureCost(context, bench)
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
  yield await measureList(context)
}

/** CPU time of one delivery, from the emitted event to the recorded result. Sessions of all services are counted. */
async function* measureCost({ pace, database, services }: Context, bench: Deliveries): AsyncGenerator<Row> {
  const postmasters = [await postmasterOf(database.ownerUrl)]
  const { result: count, cpu } = await cpuDuring(services.webhooks.pid, postmasters, async () => {
    const startedMs = performance.now()
    const rate = await deliver(bench, pace.seconds * 3)
    return (rate * (performance.now() - startedMs)) / 1000
  })
  for (const [at, ours] of ['webhooks', 'Postgres'].entries()) {
    yield {
      what: 'CPU of a delivery',
      ours,
      reference: '',
      result: ((cpu[at] ?? Number.NaN) / count) * 1e6,
      unit: 'µs',
    }
  }
}

/** The list of endpoints with many deliveries behind it, against that of another organization with none. */
async function measureList(context: Context): Promise<Row> {
  const path = '/v2.3/webhooks/endpoints'
  const { deliveries } = context.database.size
  const [many, none] = [await signIn(context, 'webhooks', DELIVERED), await signIn(context, 'webhooks', UNDELIVERED)]
  return {
    what: `GET ${path} with ${count(deliveries)} deliveries ÷ with none`,
    ...(await timeRatio(
      rounds(LIST_REQUESTS),
      () => timeOf(many, path),
      () => timeOf(none, path),
    )),
    wanted: { atMost: 1.25 },
  }
}

async function signAndPost({ url }: RunningServer, seconds: number): Promise<number> {
  const body = JSON.stringify({ id: '', type: 'cases.updated', tenant_id: '', data: DATA })
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
async function* measureLatency({ pace, progress }: Context, bench: Deliveries, perSecond: number): AsyncGenerator<Row> {
  progress(`Webhooks: ${count(Math.round(perSecond))} deliveries a second`)
  const seconds = Math.max(pace.seconds * 2, 5)
  await timesOf(bench, perSecond, 2)
  const quietRounds = await inTurn(ROUNDS, () => timesOf(bench, perSecond, seconds))
  const quiet = quietRounds.flat()
  const at = (times: readonly number[], share: number) =>
    times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN
  const what = 'from an emitted event to its delivery, at a tenth of the load'
  const ours = `${count(quiet.length)} deliveries`
  yield { what: `p50 ${what}`, ours, reference: '', result: at(quiet, 0.5), unit: 'ms', wanted: { atMost: 20 } }
  yield { what: `p99 ${what}`, ours, reference: '', result: at(quiet, 0.99), unit: 'ms', wanted: { atMost: 60 } }
  const p99 = median(quietRounds.map((times) => at(times, 0.99)))
  for (const { organizations, endpoints } of NOISE) {
    const since = new Date().toISOString()
    for (const orgId of organizations) await emitEvents(bench.producer, orgId, EVENTS_AT_ONCE)
    await recorded(bench.owner, since, organizations.length * EVENTS_AT_ONCE)
    const rounds = await inTurn(ROUNDS, async () => at(await timesOf(bench, perSecond, seconds), 0.99))
    await silence(bench.owner)
    const worst = Math.max(...rounds)
    const what = `p99 beside ${organizations.length * endpoints} endpoints of ${organizations.length} organizations that hang`
    const note = `(${rounds.map((ms) => ms.toFixed()).join(', ')})`
    const ours = `worst of ${ROUNDS} rounds`
    yield { what, ours, reference: '', result: worst, unit: 'ms', note, wanted: { atMost: 60 } }
    yield {
      what: `${what} ÷ p99 without them`,
      ours: `${worst.toFixed(1)} ms`,
      reference: `${p99.toFixed(1)} ms, median`,
      result: worst / p99,
      wanted: { atMost: 1.2 },
    }
  }
}

/** Repeats a measurement. */
async function inTurn<T>(times: number, measure: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let time = 0; time < times; time++) results.push(await measure())
  return results
}

/** Emits events of an organization with one endpoint at a steady rate; returns the time of each until it arrived. */
async function timesOf({ producer, receiver }: Deliveries, perSecond: number, seconds: number): Promise<number[]> {
  await fetch(`${receiver.url}/arrivals`)
  const accepted = new Map<string, number>()
  const startedMs = performance.now()
  const total = Math.round(perSecond * seconds)
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedMs) / 1000) * perSecond))
    if (sent < due) {
      const events = Array.from({ length: due - sent }, (_, at) => ({
        type: 'cases.updated',
        tenantId: TIMED,
        subject: `case_${sent + at}`,
        data: DATA,
      }))
      sent = due
      const ids = await producer.begin((tx) => emitAllAny(tx, events))
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
