import { pauseOf } from '../../../proto/durations.ts'
import type { ErrorCode } from '../../../proto/errors.ts'
import type { Pool, Tx } from '../db/client.ts'
import { startJob } from '../worker/job-queries.ts'
import type { JobKind } from '../worker/jobs.ts'
import type { AuditContext } from './context.ts'
import { type AuditRow, isLogged, recordRefusal, recordSuccess, rowOf } from './record.ts'

/** Records the entries of the commands of a service. */
export interface AuditLog {
  /** In the transaction of the command. */
  success(tx: Tx, auditContext: AuditContext): Promise<void>
  refusal(auditContext: AuditContext, code: ErrorCode): Promise<void>
}

/** The log in the database of the service. */
export const auditLogIn = (sql: Pool): AuditLog => ({
  success: recordSuccess,
  refusal: (auditContext, code) => recordRefusal(sql, auditContext, code),
})

const KIND = 'audit-entry'
/** Copies of one replica at once: the other connection to the server is left to the checks of tokens. */
const SLOTS = 1
/** Pauses of a copy while the log cannot be reached, which may take hours. */
const PAUSES_MS = [500, 1000, 5000, 15_000]

/** An entry that is not in the log yet, with its time. */
type WaitingRow = AuditRow & { timestamp: string }

/** The log on another server: the transaction of the command starts a job that copies the entry there. */
export function copiedAuditLog(sql: Pool, now: () => string): AuditLog {
  const store = async (tx: Tx, auditContext: AuditContext, error: ErrorCode | undefined) => {
    const row = rowOf(auditContext, error)
    if (row === undefined) return
    const timestamp = now()
    const data: WaitingRow = { ...row, timestamp }
    await startJob(tx, { kind: KIND, id: row.id, tenantId: row.org_id, data }, timestamp)
  }
  return {
    success: (tx, auditContext) => store(tx, auditContext, undefined),
    async refusal(auditContext, code) {
      if (isLogged(code)) await sql.begin((tx) => store(tx, auditContext, code))
    },
  }
}

/** Copies entries to the log. A copy whose job did not end is repeated, and changes nothing. */
export const auditCopyJob = (log: Pool): JobKind<WaitingRow> => ({
  kind: KIND,
  slots: SLOTS,
  pauseAfter: (attempts) => pauseOf(PAUSES_MS, attempts),
  async run(job) {
    await copyEntry(log, job.data)
    await job.settle((tx) => job.end(tx))
  },
})

const copyEntry = (log: Pool, row: WaitingRow) => log`
  select organization.copy_audit_entry(${JSON.stringify(row)}::text::jsonb)`
