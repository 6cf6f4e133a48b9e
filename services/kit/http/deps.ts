import type { ErrorCode } from '../../../proto/errors.ts'
import type { ServiceName } from '../../../proto/services.ts'
import type { AuditContext } from '../audit/context.ts'
import type { Caller } from '../auth/caller.ts'
import type { Claims } from '../auth/tokens.ts'
import type { Pool, Tx } from '../db/client.ts'
import type { BodyBudget } from '../limits/body-budget.ts'
import type { RateLimit } from '../limits/rate-limit.ts'
import type { TenantSemaphore } from '../limits/tenant-semaphore.ts'
import type { Log } from '../log/log.ts'
import type { RequestLog } from '../log/request-log.ts'
import type { RequestMetrics } from '../metrics/requests.ts'
import type { Outages } from './outages.ts'

/** The dependencies of the operations of a service. */
export interface HttpDeps {
  service: ServiceName
  auth: {
    callerOf(request: Request): Caller | Promise<Caller>
    claimsOf(request: Request): Promise<Claims>
    callerWithin(tx: Tx, claims: Claims, options: { lock: boolean }): Promise<Caller>
  }
  /** The pool on which commands begin their transactions. */
  sql: Pool
  rateLimit: RateLimit
  /** Memory of the request bodies of this process. */
  bodies: BodyBudget
  /** Permits for commands, so that one organization never occupies all connections. */
  commands: TenantSemaphore
  /** Writes the audit entry of a refused command. */
  auditRefusal(audit: AuditContext, code: ErrorCode): Promise<void>
  log: Log
  requestLog: RequestLog
  metrics: RequestMetrics
  /** The causes of 503 answers. */
  outages: Outages
}
