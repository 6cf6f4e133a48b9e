import type { ServiceName } from '../../../../proto/services.ts'
import type { MessageLog } from '../../log/log.ts'
import type { Publisher } from '../driver/driver.ts'
import { envelopeText } from '../outbox/envelope.ts'
import { listUnsent, markSent, type OutboxRow } from '../outbox/queries.ts'
import type { NatsSession } from './connection.ts'

const ROWS_AT_ONCE = 200
const ACK_TIMEOUT_MS = 5000

/** Publishes the outbox to the streams and marks acknowledged rows. */
export function natsPublisher(
  service: ServiceName,
  current: () => NatsSession | undefined,
  log: MessageLog,
): Publisher {
  /** An outage is logged once. */
  let isOutageLogged = false
  return {
    async publishPending({ sql, withDeadline }) {
      const session = current()
      if (!session) return 'blocked'
      const rows = await withDeadline(listUnsent(sql, ROWS_AT_ONCE))
      if (rows.length === 0) return 'empty'
      const { sent, failure } = await publish(session, service, rows)
      if (sent.length > 0) await withDeadline(markSent(sql, sent))
      if (failure !== undefined && !isOutageLogged) {
        log.warn({ err: failure }, 'NATS refuses events; they stay in the outbox')
      }
      isOutageLogged = failure !== undefined
      return failure !== undefined ? 'blocked' : rows.length === ROWS_AT_ONCE ? 'more' : 'empty'
    },
    async publishHeartbeat() {
      const session = current()
      session?.nc.publish(session.names.heartbeat(service))
    },
  }
}

/**
 * Publishes concurrently, but only one event of each subject at a time. A server that changes its leader or is full may
 * refuse one event and accept the next, which would break the order of a subject.
 */
async function publish(session: NatsSession, service: ServiceName, rows: readonly OutboxRow[]) {
  const sent: string[] = []
  for (const wave of wavesOf(rows)) {
    const outcomes = await Promise.allSettled(
      wave.map((row) =>
        session.js.publish(session.names.subject(row.type), envelopeText(service, row), {
          msgID: row.id,
          timeout: ACK_TIMEOUT_MS,
        }),
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

/** Splits rows into waves: the first wave has the first event of each subject, the second wave the second. */
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
