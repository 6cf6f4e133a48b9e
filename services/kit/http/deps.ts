import type { ErrorCode } from '../../../proto/errors.ts'
import type { AuditContext } from '../audit/context.ts'
import type { Caller } from '../auth/caller.ts'
import type { RateLimit } from '../limits/rate-limit.ts'
import type { TenantSemaphore } from '../limits/tenant-semaphore.ts'
import type { Log } from '../log/log.ts'
import type { RequestLog } from '../log/request-log.ts'
import type { RequestMetrics } from '../metrics/requests.ts'

/** What answering a request needs of the other rooms. */
export interface HttpDeps {
  auth: { callerOf(request: Request): Caller | Promise<Caller> }
  rateLimit: RateLimit
  /** Places for commands: of one organization fewer than there are connections. */
  commands: TenantSemaphore
  /** Writes the entry of a refused command; called for every refusal of an operation that declares `audit`. */
  auditRefusal(audit: AuditContext, code: ErrorCode): Promise<void>
  log: Log
  /** Takes one line for each request. */
  requestLog: RequestLog
  metrics: RequestMetrics
  /** How many proxies in front of us append to `X-Forwarded-For`. */
  trustedProxies: number
}
