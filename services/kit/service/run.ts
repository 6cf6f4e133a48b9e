import http from 'node:http'
import type { Static, TObject } from '@sinclair/typebox'
import { BadConfiguration, readConfig } from '../config/read.ts'
import { VERSION } from '../config/version.ts'
import { targetOf } from '../http/target.ts'
import { flushLogs } from '../log/standard-output.ts'
import { startTraces } from '../traces/traces.ts'
import { pause, superviseWorkers } from '../worker/worker.ts'
import { healthServer } from './health.ts'
import type { Service, ServiceConfig } from './service.ts'

export interface Process {
  services: readonly Service[]
  config: Pick<ServiceConfig, 'HOST' | 'PORT' | 'HEALTH_PORT' | 'SHUTDOWN_SECONDS' | 'OTEL_EXPORTER_OTLP_ENDPOINT'>
  /** Which of the services answers a path; with one service, that one. */
  route(path: string): Service
}

/** Bodies of uploads pass through a local folder; every JSON body has a limit of its own, far below. */
const MAX_REQUEST_BYTES = 520 * 1024 * 1024
/** Longer than the idle time-outs of usual load balancers, so that we are not the one who closes first. */
const IDLE_TIMEOUT_SECONDS = 120

/** Up to here Bun hands an oversized request to us, for an answer in the documented envelope; beyond, its bare 431. */
const MAX_HEADER_BYTES = 256 * 1024

/** Reads the environment, or tells every mistake in it and ends the process. */
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

export interface Running {
  port: number
  healthPort: number
  /** Leaves in order: not ready, no new connections, what is in flight is finished, workers stop, bus and pools close. */
  stop(): Promise<void>
}

/** Boots the services, then opens the port: nobody is answered before revocations and catalogs are loaded. */
export async function open({ services, config, route }: Process): Promise<Running> {
  const [first] = services as [Service, ...Service[]]
  const { log } = first
  const stopTraces = await startTraces(config.OTEL_EXPORTER_OTLP_ENDPOINT, first.name, VERSION)
  let ready = false
  const health = healthServer({ hostname: config.HOST, port: config.HEALTH_PORT, services, isReady: () => ready })
  const stopping = new AbortController()
  // Node's types have it read-only; Bun reads it whenever a server starts.
  Object.assign(http, { maxHeaderSize: MAX_HEADER_BYTES })
  await Promise.all(services.map((service) => service.start()))
  const workers = Promise.all(services.map((s) => superviseWorkers(s.workers, stopping.signal, s.log)))
  const socketAddress = (request: Request): string | undefined => server.requestIP(request)?.address
  for (const { app } of services) app.listenOn(socketAddress)
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: config.HOST,
    port: config.PORT,
    maxRequestBodySize: MAX_REQUEST_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    routes: Object.assign({}, ...services.map(({ app }) => app.native)),
    fetch: (request) => route(targetOf(request.url).path).app.fetch(request),
    error: (error) => {
      log.error({ err: error }, 'request failed outside of the pipeline')
      return new Response(null, { status: 500 })
    },
  })
  ready = true
  const ports = { port: server.port as number, healthPort: health.port as number }
  log.info({ ...ports, services: services.map(({ name }) => name) }, 'serving')
  return {
    ...ports,
    async stop() {
      ready = false
      log.info('stopping')
      await Promise.race([server.stop(), pause(config.SHUTDOWN_SECONDS * 500, new AbortController().signal)])
      stopping.abort()
      await workers
      await Promise.all(services.map((service) => service.close()))
      await stopTraces()
      await server.stop(true)
      await health.stop(true)
      log.info('stopped')
      await flushLogs()
    },
  }
}

/** Serves until SIGTERM or SIGINT, then leaves in order and exits 0. A second signal, or the end of the grace period, ends it at once. */
export async function serve(process_: Process): Promise<void> {
  const running = await open(process_)
  await new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  setTimeout(() => process.exit(1), process_.config.SHUTDOWN_SECONDS * 1000).unref()
  process.once('SIGTERM', () => process.exit(1))
  process.once('SIGINT', () => process.exit(1))
  await running.stop()
  process.exit(0)
}
