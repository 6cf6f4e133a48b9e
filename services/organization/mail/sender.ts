import type { Pool } from '../../kit/db/client.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'
import type { Log } from '../../kit/log/log.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { levelOf, pause, type Worker } from '../../kit/worker/worker.ts'
import { messageOf, type Sender } from './message.ts'
import type { ObserveMail } from './metrics.ts'
import { type Attempt, type ClaimedMail, claimMails, listRfqs, recordAttempt } from './queries.ts'
import { pauseAfter } from './rules.ts'
import { type SmtpFailure, type SmtpServer, sendMail } from './smtp.ts'

interface MailSenderDeps extends Sender {
  sql: Pool
  box: SecretBox
  clock: () => number
  log: Log
  observe: ObserveMail
  server: SmtpServer
  /** Longest exchange with the server. */
  timeoutMs: number
  hourlyMax: number
}

/** Connections to the server at the same time, for each replica. */
const SLOTS = 4
const SWEEP_MS = 1000
/** Added to the exchange: the time to compose a mail and to record its result. */
const LEASE_MARGIN_SECONDS = 30

/** Sends due mails. Every replica runs one; each mail is leased by one of them. */
export class MailSender implements Worker {
  readonly name = 'mail-sender'
  readonly #deps: MailSenderDeps
  readonly #running = new Set<Promise<void>>()

  constructor(deps: MailSenderDeps) {
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const claimed = this.#running.size < SLOTS ? await this.#claim() : 0
        if (this.#running.size === SLOTS) await Promise.race(this.#running)
        else if (claimed === 0) await pause(SWEEP_MS, signal)
      }
    } finally {
      await Promise.all(this.#running)
    }
  }

  async #claim(): Promise<number> {
    const { sql, clock, hourlyMax, timeoutMs } = this.#deps
    const leaseSeconds = timeoutMs / 1000 + LEASE_MARGIN_SECONDS
    const lease = { limit: SLOTS - this.#running.size, hourlyMax, leaseSeconds, token: crypto.randomUUID() }
    const claimed = await claimMails(sql, lease, timeAt(clock()))
    for (const mail of claimed) this.#start(mail, lease.token)
    return claimed.length
  }

  #start(mail: ClaimedMail, token: string): void {
    const work: Promise<void> = this.#attempt(mail, token)
      .catch((err) => this.#deps.log[levelOf(err)]({ err, mail: mail.id }, 'a mail was not recorded'))
      .finally(() => this.#running.delete(work))
    this.#running.add(work)
  }

  async #attempt(mail: ClaimedMail, token: string): Promise<void> {
    const { clock, log, observe, server, timeoutMs } = this.#deps
    const { id, kind, attempts, expires_at: expiresAt } = mail
    const message = await this.#compose(mail)
    const failure = await sendMail(server, message, timeoutMs).then(
      () => undefined,
      (error) => error as SmtpFailure,
    )
    const nextMs = clock() + pauseAfter(attempts, Math.random())
    const isOver = failure?.isPermanent || nextMs >= Date.parse(expiresAt)
    const state = failure ? (isOver ? 'FAILED' : 'PENDING') : 'SENT'
    if (failure) {
      const { by, status, code } = failure
      log.warn({ mail: id, kind, tenant: mail.org_id, attempts, state, by, status, code }, 'a mail was not accepted')
    }
    observe(failure ? (isOver ? 'failed' : 'retried') : 'sent')
    await this.#record({ id, token, state, failure: failure?.by ?? null, nextAttemptAt: timeAt(nextMs) })
  }

  async #compose(mail: ClaimedMail) {
    const { sql, box } = this.#deps
    const rfqIds = [...new Set(mail.items.flatMap(({ rfqId }) => rfqId ?? []))]
    const rows = rfqIds.length === 0 ? [] : await listRfqs(sql, mail.org_id, rfqIds)
    const rfqs = new Map(
      rows.map((row) => [
        row.rfq_id,
        { serialNumber: row.serial_number, title: row.title, expireTime: row.expires_at },
      ]),
    )
    return messageOf(this.#deps, mail, mail.secret === null ? undefined : await box.decrypt(mail.secret), rfqs)
  }

  /** Tries again while Postgres is unavailable, because a mail that is not recorded is sent again. */
  async #record(attempt: Attempt): Promise<void> {
    const { sql, clock } = this.#deps
    const untilMs = performance.now() + LEASE_MARGIN_SECONDS * 1000
    for (;;) {
      try {
        await recordAttempt(sql, attempt, timeAt(clock()))
        return
      } catch (error) {
        if (!isDependencyFailure(error) || performance.now() > untilMs) throw error
        await Bun.sleep(SWEEP_MS)
      }
    }
  }
}

const timeAt = (ms: number) => new Date(ms).toISOString()
