import type { Sql } from '../../kit/db/client.ts'
import type { Kit } from '../../kit/service/service.ts'
import type { Job, JobKind } from '../../kit/worker/jobs.ts'
import { levelOf } from '../../kit/worker/worker.ts'
import { MAIL, pauseAfter } from './limits.ts'
import { messageOf, type Sender } from './message.ts'
import { type ClaimedMail, listPackages, listRfqs, lockMail, lockNotices, recordAttempt, sealMail } from './queries.ts'
import { SmtpFailure, type SmtpServer, sendMail } from './smtp.ts'
import type { ReadRecords } from './texts.ts'

interface MailJobDeps extends Sender, Pick<Kit, 'sql' | 'box' | 'now' | 'log'> {
  server: SmtpServer
  /** Longest exchange with the server. */
  timeoutMs: number
  hourlyMax: number
}

/** Connections to the server at the same time, for each replica. */
const SLOTS = 4
/** Added to the exchange: the time to compose a mail and to record its result. */
const LEASE_MARGIN_MS = 30_000

/** Sends mails. One that is tried again has the same content. */
export const mailJob = (deps: MailJobDeps): JobKind<Pick<ClaimedMail, 'kind'>> => ({
  kind: MAIL,
  slots: SLOTS,
  leaseMs: deps.timeoutMs + LEASE_MARGIN_MS,
  pauseAfter: (attempts) => pauseAfter(attempts, Math.random()),
  async run(job, signal) {
    const mail = await seal(deps, job)
    if (!mail) return
    await sendMail(deps.server, await compose(deps, mail), deps.timeoutMs, signal)
    await record(deps, job, 'SENT')
  },
  isFinal: (error) => error instanceof SmtpFailure && error.isPermanent,
  async onFailure(job, error, isLast) {
    const state = isLast ? 'FAILED' : 'PENDING'
    const { id, tenantId: tenant, attempts } = job
    const { kind } = job.data
    if (error instanceof SmtpFailure) {
      const { by, status, code } = error
      deps.log.warn({ mail: id, kind, tenant, attempts, state, by, status, code }, 'a mail was not accepted')
    } else deps.log[levelOf(error)]({ err: error, mail: id }, 'a mail could not be sent')
    await record(deps, job, state, error instanceof SmtpFailure ? error.by : null)
  },
})

/** Returns the mail, unless it waits or is no longer sent. */
const seal = ({ sql, now: currentTime, hourlyMax }: MailJobDeps, job: Job): Promise<ClaimedMail | undefined> =>
  sql.begin(async (tx) => {
    const now = currentTime()
    await lockNotices(tx, job.tenantId)
    const [mail] = await lockMail(tx, job.id, hourlyMax, now)
    if (!mail || mail.is_void) {
      await recordAttempt(tx, { id: job.id, leaseToken: job.leaseToken, state: 'FAILED', failure: null }, now)
      await job.end(tx)
      return undefined
    }
    if (mail.wait_ms !== null) {
      await job.continue(tx, undefined, mail.wait_ms)
      return undefined
    }
    return (await sealMail(tx, job.id, now))[0]
  })

async function compose(deps: MailJobDeps, mail: ClaimedMail) {
  const secret = mail.secret === null ? undefined : await deps.box.decrypt(mail.secret)
  return messageOf(deps, mail, secret, await recordsOf(deps.sql, mail))
}

/** What the organization of the recipient reads of the records of its notices. */
async function recordsOf(sql: Sql, { org_id: orgId, items }: ClaimedMail): Promise<ReadRecords> {
  const rfqIds = [...new Set(items.flatMap(({ rfqId }) => rfqId ?? []))]
  const packageIds = [...new Set(items.flatMap(({ packageId }) => packageId ?? []))]
  const rfqs = rfqIds.length === 0 ? [] : await listRfqs(sql, orgId, rfqIds)
  const packages = packageIds.length === 0 ? [] : await listPackages(sql, orgId, packageIds)
  return {
    rfqs: new Map(rfqs.map((rfq) => [rfq.id, rfq])),
    packages: new Map(packages.map((read) => [`${read.id} ${read.role}`, read])),
  }
}

const record = (
  { now }: MailJobDeps,
  job: Job,
  state: 'SENT' | 'FAILED' | 'PENDING',
  failure: SmtpFailure['by'] | null = null,
): Promise<void> =>
  job.settle(async (tx) => {
    await recordAttempt(tx, { id: job.id, leaseToken: job.leaseToken, state, failure }, now())
    if (state !== 'PENDING') await job.end(tx)
  })
