import type { ServiceName } from '../../../../proto/services.ts'
import type { BusLog } from '../log.ts'
import { envelopeText } from '../outbox/envelope.ts'
import { listUnsent, markSent, type OutboxRow } from '../outbox/queries.ts'
import type { Outlet } from '../outbox/relay.ts'
import type { Live } from './link.ts'
import { HEARTBEAT_SUBJECT } from './streams.ts'

const ROWS_AT_ONCE = 200
const ACK_TIMEOUT_MS = 5000

/** Publishes the outbox to the streams and marks what was acknowledged. */
export function natsOutlet(service: ServiceName, current: () => Live | undefined, log: BusLog): Outlet {
  /** An outage is told once, not four times a second. */
  let told = false
  return {
    async drain({ sql, ask }) {
      const live = current()
      if (!live) return 'stuck'
      const rows = await ask(listUnsent(sql, ROWS_AT_ONCE))
      if (rows.length === 0) return 'empty'
      const { sent, failure } = await publish(live, service, rows)
      if (sent.length > 0) await ask(markSent(sql, sent))
      if (failure !== undefined && !told) log.warn({ err: failure }, 'events are not taken by NATS; they wait')
      told = failure !== undefined
      return failure !== undefined ? 'stuck' : rows.length === ROWS_AT_ONCE ? 'more' : 'empty'
    },
    async beat() {
      current()?.nc.publish(`${HEARTBEAT_SUBJECT}.${service}`)
    },
  }
}

/**
 * Publishes without waiting for each acknowledgement, but never two events of one subject at a time: a server that
 * changes its leader or is full may refuse one and take the next, and a subject must not get its events out of order.
 */
async function publish(live: Live, service: ServiceName, rows: readonly OutboxRow[]) {
  const sent: string[] = []
  for (const wave of wavesOf(rows)) {
    const outcomes = await Promise.allSettled(
      wave.map((row) =>
        live.js.publish(row.type, envelopeText(service, row), { msgID: row.id, timeout: ACK_TIMEOUT_MS }),
      ),
    )
    outcomes.forEach(({ status }, i) => {
      if (status === 'fulfilled') sent.push((wave[i] as OutboxRow).seq)
    })
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) return { sent, failure: failed.reason as unknown }
  }
  return { sent, failure: undefined }
}

/** The first wave has the first event of each subject, the second the second. */
export function wavesOf<R extends { subject: string }>(rows: readonly R[]): R[][] {
  const waves: R[][] = []
  const waveOfSubject = new Map<string, number>()
  for (const row of rows) {
    const index = waveOfSubject.get(row.subject) ?? 0
    waveOfSubject.set(row.subject, index + 1)
    const wave = waves[index]
    if (wave) wave.push(row)
    else waves.push([row])
  }
  return waves
}
