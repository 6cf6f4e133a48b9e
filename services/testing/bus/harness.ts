import type { SubscribedEvent } from '../../../proto/events/events.ts'
import type { ServiceName } from '../../../proto/services.ts'
import { type Bus, type BusTiming, createBus } from '../../kit/bus/bus.ts'
import type { DeadLetterNotice } from '../../kit/bus/consume/retry-queue.ts'
import { emitAny } from '../../kit/bus/outbox/emit.ts'
import { announcerOf } from '../../kit/db/announcements.ts'
import { connect, type Pool, type Tx } from '../../kit/db/client.ts'
import type { MessageLog } from '../../kit/log/log.ts'
import { Notifier } from '../../kit/sessions/notifier.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { type TestDatabase, throughPooler } from '../database.ts'

/** A driver under test: its address and a way to break it. */
export interface Harness {
  database: TestDatabase
  natsUrl?: string
  natsPrefix?: string
  /** Kills the transport of events and restarts it. */
  interrupt(): Promise<void>
}

/** Short pauses; nothing else differs from the product. */
const QUICK: Partial<BusTiming> = {
  backoffMs: [20, 40, 60, 80],
  retrySweepMs: 50,
  pollMs: 200,
  heartbeatMs: 200,
  electionPollMs: 100,
}

const silent: MessageLog = { info() {}, warn() {}, error() {} }

/** The parts of one service process: a pool, a bus and workers. */
export interface Member {
  bus: Bus
  pool: Pool
  start(worker: Worker): void
  stop(): Promise<void>
}

interface MemberOptions {
  log?: MessageLog
  onDeadLetter?: (notice: DeadLetterNotice) => void
  timing?: Partial<BusTiming>
  directUrl?: string
}

export type Address = Pick<Harness, 'natsUrl' | 'natsPrefix'> & { urlOf(service: ServiceName): string }

export async function openBus(
  { natsUrl, natsPrefix, urlOf }: Address,
  service: ServiceName,
  { timing, directUrl = urlOf(service), ...rest }: MemberOptions = {},
): Promise<Member> {
  const pool = connect(throughPooler(urlOf(service)), { max: 4, applicationName: `${service}-pool` })
  const log = process.env.BUS_TEST_LOG ? console : silent
  const announcer = announcerOf(pool)
  const notifier = new Notifier({ url: directUrl, announcer, applicationName: `${service}-notifier`, log })
  const bus = await createBus({
    service,
    pool,
    directUrl,
    notifier,
    nats: natsUrl === undefined ? undefined : { url: natsUrl, ...(natsPrefix ? { prefix: natsPrefix } : {}) },
    log,
    timing: { ...QUICK, ...timing },
    ...rest,
  })
  const stopping = new AbortController()
  const running: Promise<void>[] = []
  let stopped: Promise<void> | undefined
  const stop = async () => {
    stopping.abort()
    await Promise.all(running)
    await Promise.all([bus.close(), notifier.close()])
    await pool.end({ timeout: 1 })
  }
  return {
    bus,
    pool,
    start: (worker) => void running.push(worker.run(stopping.signal)),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Waits for a condition until the time-out of the test. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let pauseMs = 10; !(await condition()); pauseMs = Math.min(50, pauseMs + 2)) await Bun.sleep(pauseMs)
}

/** Waits for a number of heartbeats of `sourcing`, in which a faulty reader would have acted. */
export async function heartbeats({ bus }: Member, count: number): Promise<void> {
  await bus.subscribe({ subjects: subscribed('sourcing.>'), onEvent() {}, onGap() {} })
  for (let last = Number.NEGATIVE_INFINITY, beat = 0; beat < count; beat++) {
    await until(() => bus.lastHeartbeat('sourcing') > last)
    last = bus.lastHeartbeat('sourcing')
  }
}

/** Emits one value of a subject in its own transaction. */
export const emitValue = (pool: Pool, type: string, subject: string, value: number) =>
  pool.begin((tx) => emitAny(tx, { type, tenantId: 'org_1', subject, data: { value } }))

/** The same with an event that subscribers receive. */
export const emitSubscribed = (pool: Pool, type: string, subject: string, value: number) =>
  pool.begin((tx) => emitAny(tx, { type, tenantId: 'org_1', subject, data: { value }, isSubscribed: true }))

/** A test subscribes to types of its own. */
export const subscribed = (type: string) => [type as SubscribedEvent]

export const numberOf = (event: { data: unknown }) => (event.data as { value: number }).value

interface Effect {
  event_id: string
  subject: string
  value: number
}

/** Creates the table for the effects of handlers. */
export async function createEffects(owner: Pool): Promise<void> {
  await owner`
    create table webhooks.effects (
      position bigint generated always as identity primary key,
      event_id text not null, type text not null, subject text not null, value integer not null
    )`
  await owner`grant select, insert on webhooks.effects to marketplace_webhooks`
}

/** Writes the effect of an event in the transaction of its handler. */
export async function record(tx: Tx, event: { id: string; type: string; subject: string; data: unknown }) {
  await tx`
    insert into webhooks.effects (event_id, type, subject, value)
    values (${event.id}, ${event.type}, ${event.subject}, ${numberOf(event)})`
}

export const effectsOf = (owner: Pool, type: string) => owner<Effect[]>`
  select event_id, subject, value from webhooks.effects where type = ${type} order by position`

/** The committed events, to which effects are compared. */
export const emittedEventsOf = (owner: Pool, type: string) => owner<{ id: string; subject: string }[]>`
  select id, subject from sourcing.outbox where type = ${type} order by seq`

/** Events without exactly one effect, and subjects out of order. */
export async function deliveryViolations(owner: Pool, type: string): Promise<string[]> {
  const effects = await effectsOf(owner, type)
  const faults: string[] = []
  const times = Map.groupBy(effects, (effect) => effect.event_id)
  for (const { id } of await emittedEventsOf(owner, type)) {
    const count = times.get(id)?.length ?? 0
    if (count !== 1) faults.push(`${id} handled ${count} times`)
  }
  for (const [subject, of] of Map.groupBy(effects, (effect) => effect.subject)) {
    const values = of.map(({ value }) => value)
    if (values.some((value, i) => i > 0 && value <= (values[i - 1] as number))) faults.push(`${subject}: ${values}`)
  }
  return faults
}

/** Starts a program of this folder, whose standard output can be awaited. */
export function spawnProgram(file: string, env: Record<string, string>) {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/${file}`], {
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  const listening = (async () => {
    for await (const words of child.stdout.pipeThrough(new TextDecoderStream())) said += words
  })()
  return {
    pid: child.pid,
    says: (word: string) => until(() => said.includes(word)),
    ended: () => child.exited,
    async kill() {
      child.kill('SIGKILL')
      await child.exited
      await listening
    },
  }
}

/** Environment with which a program of this folder finds the bus of its test. */
export const addressVariables = ({ database, natsUrl }: Harness) => ({
  BUS_OWNER_URL: database.ownerUrl,
  BUS_NATS_URL: natsUrl ?? '',
})
