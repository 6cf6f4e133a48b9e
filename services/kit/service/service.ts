import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { AnyElysia } from 'elysia'
import { Gauge, Registry } from 'prom-client'
import { timeAt } from '../../../proto/durations.ts'
import type { ServiceName } from '../../../proto/services.ts'
import { auditCopyJob, auditLogIn, copiedAuditLog } from '../audit/log.ts'
import { Auth } from '../auth/auth.ts'
import { type Bus, createBus } from '../bus/bus.ts'
import { deadLetterMetrics, lagMetrics, natsMetrics } from '../bus/metrics.ts'
import { natsOptionsOf } from '../bus/nats/options.ts'
import { commonVariables, databaseVariables } from '../config/variables.ts'
import { VERSION } from '../config/version.ts'
import { announcerOf } from '../db/announcements.ts'
import type { Pool } from '../db/client.ts'
import { type Connections, connectService, connectShared } from '../db/connections.ts'
import { poolMetrics, readMetrics, sharedMetrics } from '../db/metrics.ts'
import { withPasswordFile } from '../db/password-file.ts'
import { Http } from '../http/http.ts'
import { Outages } from '../http/outages.ts'
import type { UnknownPage } from '../http/target.ts'
import { BodyBudget } from '../limits/body-budget.ts'
import { KeyedSemaphore } from '../limits/keyed-semaphore.ts'
import { createRateLimit } from '../limits/rate-limit.ts'
import { ReadShares } from '../limits/request-reads.ts'
import { createLog, type Log } from '../log/log.ts'
import { createRequestLog } from '../log/request-log.ts'
import { concurrencyMetrics, type ObserveConcurrency } from '../metrics/concurrency.ts'
import { requestMetrics } from '../metrics/requests.ts'
import { requireSchema } from '../migrate/migrate.ts'
import { requireShared } from '../migrate/shared.ts'
import { Pagination } from '../pagination/pagination.ts'
import { createSecretBox, type SecretBox } from '../secrets/box.ts'
import { Notifier } from '../sessions/notifier.ts'
import { jobMetrics } from '../worker/job-metrics.ts'
import { type JobKind, JobWorker } from '../worker/jobs.ts'
import type { Worker } from '../worker/worker.ts'
import type { Dependency } from './checks.ts'
import { type CleanupTask, cleanupWorker } from './cleanup.ts'
import { waitForDatabase, waitForSchema } from './wait-for-database.ts'

export const serviceVariables = Type.Object({ ...commonVariables, ...databaseVariables })
export type ServiceConfig = Static<typeof serviceVariables>
/** A service that stores no secret has no keys. */
type KitConfig = Omit<ServiceConfig, 'ENCRYPTION_KEYS'> & { ENCRYPTION_KEYS?: string }

const MIB = 1024 * 1024
/** Shared by all services of the process. */
const BODIES = new BodyBudget({ maxBytes: 64 * MIB, maxBytesPerClient: 16 * MIB })

/** The audience of all access tokens. */
export const AUDIENCE = 'marketplace'

/** The infrastructure of a service. */
export interface Kit {
  config: KitConfig
  log: Log
  registry: Registry
  observeConcurrency: ObserveConcurrency
  sql: Pool
  connections: Connections
  /** The Postgres of the other services, if this one has a Postgres of its own. */
  shared: Pool | undefined
  /** Calls back for commits of all processes. */
  notifier: Notifier
  bus: Bus
  /** A worker that runs jobs of these kinds. */
  jobs(name: string, kinds: readonly JobKind[]): JobWorker
  auth: Auth
  http: Http
  pagination: Pagination
  /** Encrypts stored secrets. */
  box: SecretBox
  clock: () => number
  /** The time, ISO 8601 in UTC. */
  now: () => string
}

/** What the routes of most features need. */
export type RouteKit = Pick<Kit, 'http' | 'pagination'>

export interface Service {
  name: ServiceName
  http: Http
  /** The routes: one named Elysia plugin for each feature. */
  features: readonly AnyElysia[]
  registry: Registry
  log: Log
  workers: readonly Worker[]
  /** What the service needs, beside other services. */
  dependencies: readonly Dependency[]
  /** Loads the state that the first request needs. The service is ready afterwards. */
  start(): Promise<void>
  /** Closes the bus, then the pool. */
  close(): Promise<void>
}

export interface KitOptions {
  clock?: () => number
  /** Destination of log lines. Default: standard output. */
  logDestination?: { write(line: string): void }
  /** Asks the DNS for TXT records. Default: that of the system. */
  resolveTxt?: (name: string) => Promise<readonly (readonly string[])[]>
}

interface ServiceOptions extends KitOptions {
  acceptsKnownTokens?: boolean
  /** The Postgres of the other services, for a service with a Postgres of its own. */
  sharedDatabaseUrl?: string | undefined
  /** For a service whose addresses people open in a browser. */
  unknownPage?: UnknownPage
}

/** The registry of a service, with the version that runs. */
function createRegistry(name: ServiceName): Registry {
  const registry = new Registry()
  // The label has the name of the pods' label. The Prometheus operator uses `service` for the Kubernetes Service.
  registry.setDefaultLabels({ component: name })
  new Gauge({
    name: 'marketplace_build_info',
    help: 'Version that runs.',
    labelNames: ['version'],
    registers: [registry],
  })
    .labels(VERSION)
    .set(1)
  return registry
}

export async function createKit(
  name: ServiceName,
  config: KitConfig,
  { clock = Date.now, logDestination, unknownPage, acceptsKnownTokens = false, sharedDatabaseUrl }: ServiceOptions = {},
): Promise<Kit> {
  const logOptions = {
    service: name,
    version: VERSION,
    level: config.LOG_LEVEL,
    ...(logDestination ? { destination: logDestination } : {}),
  }
  const log = createLog(logOptions)
  const registry = createRegistry(name)
  const urlOf = (url: string) => withPasswordFile(url, config.DATABASE_PASSWORD_FILE)
  const server = { applicationName: name, traced: config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined }
  const connections = connectService(urlOf(config.DATABASE_URL), {
    ...server,
    size: config.DATABASE_POOL_SIZE,
    standby: config.DATABASE_READ_URL
      ? { url: urlOf(config.DATABASE_READ_URL), log, onRead: readMetrics(registry) }
      : undefined,
  })
  const { sql } = connections
  const shared = sharedDatabaseUrl === undefined ? undefined : connectShared(urlOf(sharedDatabaseUrl), server)
  const reads = new ReadShares(connections, { size: config.DATABASE_POOL_SIZE })
  const permits = new KeyedSemaphore({
    what: 'changes',
    permits: config.DATABASE_POOL_SIZE,
    permitsPerKey: Math.max(1, Math.floor(config.DATABASE_POOL_SIZE / 2)),
  })
  const observeConcurrency = concurrencyMetrics(registry)
  for (const semaphore of [permits, ...reads.semaphores]) observeConcurrency(semaphore)
  const directUrl = urlOf(config.DATABASE_DIRECT_URL ?? config.DATABASE_URL)
  const announcer = announcerOf(sql)
  const notifier = new Notifier({ url: directUrl, announcer, applicationName: `${name}-notifier`, log })
  const nats = natsOptionsOf(config)
  const bus = await createBus({
    service: name,
    pool: sql,
    directUrl,
    notifier,
    nats,
    log,
    onDeadLetter: deadLetterMetrics(registry).onDeadLetter,
  })
  lagMetrics(registry, () => bus.lag())
  poolMetrics(registry, { sql, size: config.DATABASE_POOL_SIZE, isLeader: bus.isLeader })
  if (nats) natsMetrics(registry, bus.isConnected)
  if (shared) sharedMetrics(registry, shared)
  const auth = new Auth({
    sql: shared ?? sql,
    isElsewhere: shared !== undefined,
    bus,
    issuer: config.PUBLIC_URL,
    audience: AUDIENCE,
    clock,
    acceptsKnownTokens,
  })
  const now = () => timeAt(clock())
  const measured = jobMetrics(registry, { sql, now, isLeader: bus.isLeader })
  const jobs = (work: string, kinds: readonly JobKind[]) => {
    measured.add(...kinds.map(({ kind }) => kind))
    const worker = new JobWorker(work, { sql, clock, log, observe: measured.observe }, kinds)
    observeConcurrency(worker)
    return worker
  }
  const box = await createSecretBox(config.ENCRYPTION_KEYS)
  const http = new Http({
    service: name,
    publicUrl: config.PUBLIC_URL,
    auth,
    sql,
    clock,
    box,
    rateLimit: createRateLimit({ perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST }),
    bodies: BODIES,
    permits,
    reads,
    auditLog: shared ? copiedAuditLog(sql, now) : auditLogIn(sql),
    log,
    requestLog: createRequestLog(logOptions),
    metrics: requestMetrics(registry),
    outages: new Outages(registry, log),
    ...(unknownPage && { unknownPage }),
  })
  const pagination = new Pagination({ sql, reads: connections.primaryReads, clock, log })
  return {
    config,
    log,
    registry,
    observeConcurrency,
    sql,
    connections,
    shared,
    notifier,
    bus,
    jobs,
    auth,
    http,
    pagination,
    box,
    clock,
    now,
  }
}

interface ServiceParts {
  features: readonly AnyElysia[]
  workers?: readonly Worker[]
  /** Cleanup of the service's own tables. */
  cleanup?: readonly CleanupTask[]
  /** What the service needs beside Postgres and NATS. */
  dependencies?: readonly Dependency[]
  /** Runs again when Postgres fails during it. */
  start?: () => Promise<void>
  close?: () => Promise<void>
}

/** Postgres, and NATS where the bus runs on it. */
function busDependencies({ sql, shared, bus, config }: Kit): Dependency[] {
  const postgres = [
    { name: 'Postgres', check: () => sql`select 1` },
    ...(shared ? [{ name: 'the Postgres of the other services', check: () => shared`select 1` }] : []),
  ]
  if (config.NATS_URL === undefined) return postgres
  const requireConnection = async () => {
    if (!bus.isConnected()) throw new Error('the process is not connected')
  }
  return [...postgres, { name: 'NATS', check: requireConnection }]
}

/** Builds a service from its kit and its own parts. */
export function assemble(name: ServiceName, kit: Kit, parts: ServiceParts): Service {
  const { notifier, bus, log, sql, shared, connections, registry, auth, http } = kit
  const copies = shared ? [kit.jobs('copies of audit entries', [auditCopyJob(shared)])] : []
  return {
    name,
    http,
    features: parts.features,
    registry,
    log,
    workers: [bus.relay(), cleanupWorker(kit, parts.cleanup ?? []), ...copies, ...(parts.workers ?? [])],
    dependencies: [...busDependencies(kit), ...(parts.dependencies ?? [])],
    async start() {
      await waitForSchema(log, () => requireSchema(sql, name))
      if (shared) await waitForDatabase(log, () => requireShared(sql, shared))
      await auth.start()
      await waitForDatabase(log, async () => parts.start?.())
    },
    async close() {
      await parts.close?.()
      await Promise.all([bus.close(), notifier.close()])
      await Promise.all([connections.close(), shared?.end({ timeout: 5 })])
    },
  }
}
