import type { AuditContext } from '../audit/context.ts'
import { AuditEntry } from '../audit/entry.ts'
import { recordSuccess } from '../audit/record.ts'
import type { Pool, Tx } from '../db/client.ts'

/**
 * Runs a command without a caller in one transaction with its audit entry: a public operation, which checks a
 * credential of its own, or an act of the operator's command line. `work` sets the actor. Only identity and
 * organization use it, which are on the server of the audit log.
 */
export const runWithoutCaller = <T>(
  sql: Pool,
  auditContext: AuditContext,
  work: (tx: Tx, audit: AuditEntry) => Promise<T>,
): Promise<T> =>
  sql.begin(async (tx) => {
    const audit = new AuditEntry(auditContext)
    const answer = await work(tx, audit)
    await recordSuccess(tx, audit.context)
    return answer
  }) as Promise<T>
