import type { ErrorCode } from '../../../proto/errors.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordRefusal } from '../../kit/audit/record.ts'
import type { Pool } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import type { ThrottleKeys } from '../throttle/keys.ts'
import { countFailure } from '../throttle/queries.ts'
import { insertSignInFailure } from './queries.ts'

interface Failure {
  /** Undefined for an unknown account or client. */
  user: { user_id: string; org_id: string } | undefined
  auditContext: AuditContext
  code: ErrorCode
}

/** Counts the failure and writes an audit entry. */
export async function recordFailure(sql: Pool, failure: Failure & { keys: ThrottleKeys }, now: string): Promise<void> {
  await countFailure(sql, failure.keys, now)
  await auditFailure(sql, failure, now)
}

/** Writes an audit entry. An unknown account has a row elsewhere, which takes as long. */
export async function auditFailure(sql: Pool, { user, auditContext, code }: Failure, now: string): Promise<void> {
  if (user) await recordRefusal(sql, { ...auditContext, ...actorOf(user) }, code)
  else await insertSignInFailure(sql, { id: newId('failure'), ...auditContext }, now)
}

export const actorOf = ({ user_id, org_id }: { user_id: string; org_id: string }) => ({
  actorId: user_id,
  orgId: org_id,
})
