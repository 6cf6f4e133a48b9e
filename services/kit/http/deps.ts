import type { ServiceName } from '../../../proto/services.ts'
import type { Caller } from '../auth/caller.ts'
import type { CommandDeps } from '../command/run.ts'
import type { BodyBudget } from '../limits/body-budget.ts'
import type { RateLimit } from '../limits/rate-limit.ts'
import type { ReadShares } from '../limits/request-reads.ts'
import type { Log } from '../log/log.ts'
import type { RequestLog } from '../log/request-log.ts'
import type { RequestMetrics } from '../metrics/requests.ts'
import type { Outages } from './outages.ts'
import type { UnknownPage } from './target.ts'

/** The dependencies of the operations of a service. */
export interface HttpDeps extends CommandDeps {
  service: ServiceName
  /** Where clients reach the API. */
  publicUrl: string
  auth: CommandDeps['auth'] & { callerOf(request: Request): Caller | Promise<Caller> }
  rateLimit: RateLimit
  reads: ReadShares
  /** The memory that request bodies may use in this process. */
  bodies: BodyBudget
  log: Log
  requestLog: RequestLog
  metrics: RequestMetrics
  /** The causes of 503 answers. */
  outages: Outages
  /** Whether each response closes its connection, because the process stops. */
  closesConnections?: boolean
  /** Answers a browser at an address that does not exist. Default: the error body. */
  unknownPage?: UnknownPage
}
