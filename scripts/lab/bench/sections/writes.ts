import { type ApiClient, succeeded } from '../../../../services/testing/client.ts'
import { asOwner, type Owner } from '../../../../services/testing/load/owner.ts'
import { inRounds, median, type Pace, type Row, type Run } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { cpuDuring, postmasterOf } from '../cpu.ts'
import { type Database, writingTrader } from '../database.ts'
import { answersPerSecond } from '../http.ts'
import { createLeastTables, leastTransaction } from '../least.ts'
import { runPgbench } from '../pgbench.ts'
import { type Platform, signIn } from '../services.ts'
import { startSynchronousStandby } from '../standby.ts'
import { type Trader, TradeWriter } from '../trade-writer.ts'

/** Pairs of a buyer and a maker. */
const PAIRS = 16
const LEAST = leastTransaction({ records: 1, events: 1 })
const WRITERS = [1, 8, 32, 64]
const WANTED_AT = 32
const WANTED_RATIO = 0.6
const SAMPLE_MS = 20
const COST_SECONDS = 3

/**
 * Commands of a trade (create, patch, publish, invite, offer, award, order steps) by concurrent writers, of many
 * organizations and of one, against the least transaction that each of them needs: a record, its history, an audit
 * entry and an event. Then the same with a synchronous standby.
 */
export const measureWrites: Section = async function* (context) {
  const pairs = await signInPairs(context)
  await createLeastTables(context.database)
  yield* measureLoads(context, pairs, 'on disk')
  const stop = await startSynchronousStandby(context)
  yield* measureLoads(context, pairs, 'on a synchronous standby', [8, WANTED_AT])
  await stop()
}

interface Pair {
  buyer: Trader
  maker: Trader
}

async function signInPairs(context: Context): Promise<Pair[]> {
  const traders: ApiClient[] = []
  for (let at = 0; at < 2 * PAIRS; at++) traders.push(await signIn(context, 'sourcing', writingTrader(at)))
  return Promise.all(
    Array.from({ length: PAIRS }, async (_, at) => {
      const [buyer, maker] = [traders[2 * at], traders[2 * at + 1]]
      if (!buyer || !maker) throw new Error('too few traders')
      const factory = await succeeded(maker.post<{ id: string }>('/flows/v1/factories', FACTORY))
      return {
        buyer: { token: buyer.accessToken, orgId: writingTrader(2 * at) },
        maker: { token: maker.accessToken, orgId: writingTrader(2 * at + 1), factoryId: factory.id },
      }
    }),
  )
}

const FACTORY = {
  name: 'Fjord Print, Bergen',
  address: { regionCode: 'NO', locality: 'Bergen', lines: ['Damsgårdsveien 165'] },
  capabilities: [{ materialCode: '316l', technologyId: 'pbf-lb-m', maxEnvelope: { x: 400, y: 400, z: 380 } }],
}

async function* measureLoads(
  { database, services, pace }: Context,
  pairs: readonly Pair[],
  where: string,
  counts: readonly number[] = WRITERS,
): AsyncGenerator<Row> {
  const medians = new Map<number, number>()
  for (const writers of counts) {
    const ofMany = writersRun(services.sourcing.port, writers, pairs)
    const ofOne = writersRun(services.sourcing.port, writers, pairs.slice(0, 1))
    const least: Run = (seconds) => runPgbench(database, 'sourcing', LEAST, { clients: writers, seconds })
    const waits = new WaitSamples()
    const sampled: Run = (seconds) => waits.during(database, () => ofMany(seconds))
    const [many = [], one = [], reference = []] = await inRounds(paceOf(pace), [sampled, ofOne, least])
    if (writers === WANTED_AT) yield* costs({ database, services }, ofMany, least)
    medians.set(writers, median(many))
    for (const [whose, rates] of [
      ['many organizations', many],
      ['one organization', one],
    ] as const) {
      yield {
        what: `commands of ${writers} writers of ${whose}, ${where} ÷ the least transaction`,
        ours: `${Math.round(median(rates))}/s`,
        reference: `${Math.round(median(reference))}/s`,
        result: median(rates) / median(reference),
        ...(writers === WANTED_AT && rates === many ? { wanted: { atLeast: WANTED_RATIO } } : {}),
      }
    }
    yield {
      what: `waits of ${writers} writers of many organizations, ${where}: Lock among the three most frequent`,
      ours: waits.mostFrequent(),
      reference: '',
      result: waits.hasLock() ? 1 : 0,
      wanted: { atMost: 0 },
    }
  }
  const [few, many] = [medians.get(8) ?? Number.NaN, medians.get(WANTED_AT) ?? Number.NaN]
  yield {
    what: `commands of ${WANTED_AT} writers ÷ of 8, ${where}`,
    ours: `${Math.round(many)}/s`,
    reference: `${Math.round(few)}/s`,
    result: many / few,
    wanted: { atLeast: 1 },
  }
}

/** CPU time of a command in the service and in Postgres, and of the least transaction. */
async function* costs({ database, services }: Platform, commands: Run, least: Run): AsyncGenerator<Row> {
  const postmasters = [await postmasterOf(database.ownerUrl)]
  const { pid } = services.sourcing
  const costOf = async (run: Run) => {
    const { result, cpu } = await cpuDuring(pid, postmasters, async () => {
      const startedMs = performance.now()
      const rate = await run(COST_SECONDS)
      return (rate * (performance.now() - startedMs)) / 1000
    })
    return cpu.map((seconds) => (seconds / result) * 1e6)
  }
  const [[sourcing, postgres] = [], [, reference] = []] = [await costOf(commands), await costOf(least)]
  const what = 'CPU of a command'
  yield { what, ours: 'sourcing', reference: '', result: sourcing ?? Number.NaN, unit: 'µs' }
  yield {
    what,
    ours: 'Postgres',
    reference: `least transaction ${reference?.toFixed()} µs`,
    result: postgres ?? Number.NaN,
    unit: 'µs',
  }
}

const paceOf = ({ rounds, seconds }: Pace): Pace => ({ rounds: Math.min(rounds, 3), seconds: Math.max(seconds, 3) })

const writersRun =
  (port: number, count: number, pairs: readonly Pair[]): Run =>
  (seconds) =>
    answersPerSecond(
      port,
      seconds,
      Array.from({ length: count }, (_, at) => {
        const { buyer, maker } = pairs[at % pairs.length] as Pair
        return new TradeWriter(buyer, maker)
      }),
    )

/** What sessions wait for, sampled during a measurement. */
class WaitSamples {
  readonly #counts = new Map<string, number>()

  async during<T>({ ownerUrl }: Database, work: () => Promise<T>): Promise<T> {
    const done = new AbortController()
    const sampling = asOwner(ownerUrl, (owner) => this.#sample(owner, done.signal))
    try {
      return await work()
    } finally {
      done.abort()
      await sampling
    }
  }

  async #sample(owner: Owner, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waits = await owner<{ type: string; event: string }[]>`
        select wait_event_type as type, wait_event as event from pg_stat_activity
        where datname = current_database() and state = 'active' and wait_event_type is not null`
      for (const { type, event } of waits) {
        const name = `${type}/${event}`
        this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
      }
      await Bun.sleep(SAMPLE_MS)
    }
  }

  #top = () => [...this.#counts].toSorted(([, a], [, b]) => b - a).slice(0, 3)

  mostFrequent(): string {
    return this.#top()
      .map(([name, samples]) => `${name} ${samples}`)
      .join(', ')
  }

  hasLock(): boolean {
    return this.#top().some(([name]) => name.startsWith('Lock/'))
  }
}
