import http from 'node:http'
import type { Static, TObject } from '@sinclair/typebox'
import { NotFoundError } from 'elysia'
import { listedOwnerOf } from '../../../proto/paths.ts'
import type { ServiceName } from '../../../proto/services.ts'
import { BadConfiguration, readConfig } from '../config/read.ts'
import { type databaseVariables, originsIn, resourceAttributesIn } from '../config/variables.ts'
import { VERSION } from '../config/version.ts'
import { createApp } from '../http/app.ts'
import { flushLogs } from '../log/standard-output.ts'
import { OutdatedSchema } from '../migrate/migrate.ts'
import { WrongEncryptionKey } from '../secrets/box.ts'
import { startTraces } from '../traces/traces.ts'
import { superviseWorkers } from '../worker/worker.ts'
import { healthAnswer, healthServer } from './health.ts'
import type { Service, ServiceConfig } from './service.ts'

interface ServeOptions {
  services: readonly Service[]
  config: Omit<ServiceConfig, keyof typeof databaseVariables | 'ENCRYPTION_KEYS'>
  /** The service that answers a path. */
  ownerOf(path: string): Service
}

/** The largest upload, with room for its framing. JSON bodies have lower limits of their own. */
const MAX_REQUEST_BYTES = 520 * 1024 * 1024
/** Above the idle time-outs of usual load balancers, so that the service is never the first to close. */
const IDLE_TIMEOUT_SECONDS = 120
/** Up to this size Bun passes an oversized request on, so that the answer has the documented envelope. */
const MAX_HEADER_BYTES = 256 * 1024

/** Reads the environment. Prints all invalid variables and ends the process if there are any. */
export function configure<S extends TObject>(
  schema: S,
  env: Record<string, string | undefined>,
  problemsOf?: (values: Static<S>) => readonly string[],
) {
  try {
    return readConfig(schema, env, problemsOf)
  } catch (error) {
    if (!(error instanceof BadConfiguration)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

/**
 * Returns whether another process serves a path of the contract. Where `/flows` is not exposed, the ingress sends its
 * paths to a service that has none of them, which answers them as unknown.
 */
function elsewhereOf(names: readonly ServiceName[]): (path: string) => boolean {
  const hidesAdditions = !names.includes('identity')
  return (path) => {
    const owner = listedOwnerOf(path)
    return owner !== undefined && !names.includes(owner) && !(hidesAdditions && path.startsWith('/flows/'))
  }
}

/** Opens a port. Errors of Bun do not name the address, and report every failure as a port in use. */
function listen<Server>(variable: 'PORT' | 'HEALTH_PORT', config: ServeOptions['config'], open: () => Server): Server {
  try {
    return open()
  } catch {
    const address = `HOST=${config.HOST} and ${variable}=${config[variable]}`
    throw new BadConfiguration([`${address} cannot be used: the host is not of this machine, or the port is taken.`])
  }
}

export interface Running {
  port: number
  healthPort: number
  /**
   * Stops in order: readiness off, workers claim no more work, connections end with their next response, no new
   * connections, requests and work in flight end, or are aborted after half of the time, bus and pools close.
   */
  stop(): Promise<void>
}

/** The app of the services, with the health paths on its port. */
function appOf({ services, config, ownerOf }: ServeOptions, isReady: () => boolean) {
  const app = createApp({
    services,
    ownerOf,
    isElsewhere: elsewhereOf(services.map(({ name }) => name)),
    trustedProxies: config.TRUSTED_PROXIES,
    corsOrigins: originsIn(config.CORS_ORIGINS),
  })
  // Load balancers of clouds check the port of the API. A request through a proxy does not reach these paths.
  for (const path of ['/livez', '/readyz'] as const) {
    app.get(path, ({ request }) => {
      if (request.headers.has('x-forwarded-for')) throw new NotFoundError()
      return healthAnswer(path, isReady())
    })
  }
  return app
}

/** Requests and work in flight have half of the time to stop; the other half is for what is aborted, and pools. */
const requestsMsOf = ({ SHUTDOWN_SECONDS }: ServeOptions['config']) => SHUTDOWN_SECONDS * 500

/** The time in which new requests are still served: at most half of that of requests. */
const drainMsOf = (config: ServeOptions['config']) => Math.min(config.DRAIN_SECONDS * 1000, requestsMsOf(config) / 2)

/** Starts the services, which load revocations and catalogs, and then opens the port. */
export async function open(serving: ServeOptions): Promise<Running> {
  const { services, config } = serving
  const [first] = services as [Service, ...Service[]]
  const { log } = first
  const stopTraces = await startTraces({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    resourceAttributes: resourceAttributesIn(config.OTEL_RESOURCE_ATTRIBUTES),
    sampler: config.OTEL_TRACES_SAMPLER,
    samplerRatio: Number(config.OTEL_TRACES_SAMPLER_ARG ?? 1),
    services: services.map(({ name }) => name),
    version: VERSION,
    onLoss: (error) => log.warn({ err: error }, 'the last spans are lost, because the collector does not answer'),
  })
  let ready = false
  const isReady = () => ready
  const health = listen('HEALTH_PORT', config, () =>
    healthServer({ hostname: config.HOST, port: config.HEALTH_PORT, services, isReady }),
  )
  const stopping = new AbortController()
  // Bun reads the property when a server starts, although Node's types declare it read-only.
  Object.assign(http, { maxHeaderSize: MAX_HEADER_BYTES })
  await Promise.all(services.map((service) => service.start()))
  const closing = new AbortController()
  const workersThat = (claim: boolean) =>
    Promise.all(
      services.map(({ workers, log }) => {
        const some = workers.filter(({ claims = false }) => claims === claim)
        return superviseWorkers(some, stopping.signal, log, closing.signal)
      }),
    )
  const [claiming, others] = [workersThat(true), workersThat(false)]
  const app = appOf(serving, isReady)
  const options = {
    hostname: config.HOST,
    port: config.PORT,
    maxRequestBodySize: MAX_REQUEST_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    reusePort: false,
    development: false,
    error: (error: unknown) => {
      log.error({ err: error }, 'request failed outside of the pipeline')
      return new Response(null, { status: 500 })
    },
  }
  listen('PORT', config, () => app.listen(options))
  const server = app.server as NonNullable<typeof app.server>
  ready = true
  const ports = { port: server.port as number, healthPort: health.port as number }
  log.info({ ...ports, services: services.map(({ name }) => name) }, 'serving')
  return {
    ...ports,
    async stop() {
      ready = false
      log.info('stopping')
      closing.abort()
      // Bun closes idle connections when it stops to listen, and a request that is on its way would be lost.
      for (const { http } of services) http.closeConnections()
      const drainMs = drainMsOf(config)
      await Bun.sleep(drainMs)
      const ended = server.stop()
      await Promise.race([Promise.all([ended, claiming]), Bun.sleep(requestsMsOf(config) - drainMs)])
      stopping.abort()
      await Promise.all([claiming, others])
      await Promise.all(services.map((service) => service.close()))
      await stopTraces()
      await server.stop(true)
      await health.stop(true)
      log.info('stopped')
      await flushLogs()
    },
  }
}

/** Errors of a start whose message is a sentence for the operator. */
const EXPLAINED = [BadConfiguration, OutdatedSchema, WrongEncryptionKey]

/**
 * Serves until SIGTERM or SIGINT, then stops in order. A second signal or the end of the grace period exits
 * immediately.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const running = await open(options).catch((error) => {
    if (!EXPLAINED.some((kind) => error instanceof kind)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(error instanceof BadConfiguration ? 2 : 1)
  })
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  setTimeout(() => process.exit(1), options.config.SHUTDOWN_SECONDS * 1000).unref()
  process.once('SIGTERM', () => process.exit(1))
  process.once('SIGINT', () => process.exit(1))
  await running.stop()
  process.exit(0)
}
