import { readFile } from 'node:fs/promises'
import {
  type NatsConnection as Client,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type JetStreamClient,
  type JetStreamManager,
  nkeyAuthenticator,
  type TlsOptions,
} from 'nats'
import type { StreamName } from '../../../../proto/events/envelope.ts'
import type { MessageLog } from '../../log/log.ts'
import { pause } from '../../worker/worker.ts'
import { type Names, namesWith } from './names.ts'
import type { NatsOptions } from './options.ts'

/** One established connection. It never reconnects: a new session replaces it. */
export interface NatsSession {
  nc: Client
  js: JetStreamClient
  jsm: JetStreamManager
  names: Names
  /** Aborts when the connection is closed, together with its subscriptions and pulls. */
  closed: AbortSignal
}

const CONNECT_TIMEOUT_MS = 5000
const REQUEST_TIMEOUT_MS = 5000
const PING_INTERVAL_MS = 2000
const MAX_UNANSWERED_PINGS = 2
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000
const READ_PAUSE_MS = 200

/** Connects once, or throws. */
export async function connectOnce(options: NatsOptions, name: string): Promise<NatsSession> {
  const nc = await connect({
    ...optionsOfUrl(options.url),
    ...(await credentialsOf(options)),
    name,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    reconnect: false,
  })
  const closed = new AbortController()
  void nc.closed().then(() => closed.abort())
  const jsm = await nc.jetstreamManager({ checkAPI: false, timeout: REQUEST_TIMEOUT_MS })
  const names = namesWith(options.prefix ?? '')
  return { nc, js: nc.jetstream({ timeout: REQUEST_TIMEOUT_MS }), jsm, names, closed: closed.signal }
}

/** The credentials of this client that are not part of the URL. */
async function credentialsOf({ credsFile, nkeyFile, certFile, keyFile }: NatsOptions): Promise<ConnectionOptions> {
  const tls: TlsOptions | undefined = certFile && keyFile ? { certFile, keyFile } : undefined
  const seed = nkeyFile && new TextEncoder().encode((await readFile(nkeyFile, 'utf8')).trim())
  return {
    ...(tls ? { tls } : {}),
    ...(credsFile ? { authenticator: credsAuthenticator(await readFile(credsFile)) } : {}),
    ...(seed ? { authenticator: nkeyAuthenticator(seed) } : {}),
  }
}

/** Splits addresses into the options of the driver, which accepts only hosts as servers. */
export function optionsOfUrl(url: string): ConnectionOptions {
  const addresses = url.split(',').map((address) => new URL(address.trim()))
  const withUser = addresses.find((address) => address.username !== '')
  const user = decodeURIComponent(withUser?.username ?? '')
  const pass = decodeURIComponent(withUser?.password ?? '')
  return {
    servers: addresses.map((address) => address.host),
    ...(addresses.some((address) => address.protocol === 'tls:') ? { tls: {} } : {}),
    ...(pass !== '' ? { user, pass } : user !== '' ? { token: user } : {}),
  }
}

/** The connection of a service to NATS. It reconnects in the background with growing pauses. */
export class NatsConnection {
  readonly #options: NatsOptions
  readonly #name: string
  readonly #log: MessageLog
  readonly #closed = new AbortController()
  readonly #connectListeners = new Set<(session: NatsSession) => void>()
  readonly #running: Promise<void>
  #session: NatsSession | undefined
  #nextSession = Promise.withResolvers<NatsSession>()

  constructor(options: NatsOptions, name: string, log: MessageLog) {
    // An invalid address throws here instead of being retried.
    optionsOfUrl(options.url)
    this.#options = options
    this.#name = name
    this.#log = log
    this.#running = this.#run()
  }

  /** The current session; undefined while disconnected. */
  get session(): NatsSession | undefined {
    return this.#session
  }

  /** Calls back for each session, including the current one. */
  onConnect(use: (session: NatsSession) => void): void {
    this.#connectListeners.add(use)
    if (this.#session) use(this.#session)
  }

  /** Waits for a session. Undefined if the signal aborts first. */
  async #connected(signal: AbortSignal): Promise<NatsSession | undefined> {
    if (this.#session || signal.aborted) return signal.aborted ? undefined : this.#session
    const ended = Promise.withResolvers<undefined>()
    const end = () => ended.resolve(undefined)
    signal.addEventListener('abort', end)
    try {
      return await Promise.race([this.#nextSession.promise, ended.promise])
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  /** Does the work on one session after the other until the signal aborts. It is repeated when it ends or fails. */
  async onEachSession(
    { stream, signal, log }: { stream: StreamName; signal: AbortSignal; log: MessageLog },
    work: (session: NatsSession) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const session = await this.#connected(signal)
      if (!session) return
      await work(session).catch((error) => {
        if (!signal.aborted) log.warn({ stream, err: error }, 'stream could not be read; retrying')
      })
      await pause(READ_PAUSE_MS, signal)
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const session = await connectOnce(this.#options, this.#name)
        pauseMs = FIRST_PAUSE_MS
        await this.#serve(session)
        if (!signal.aborted) this.#log.warn({}, 'connection to NATS lost')
      } catch (error) {
        if (!signal.aborted) this.#log.warn({ err: error }, 'NATS cannot be reached')
      }
      // Jitter, so that processes do not reconnect at the same time.
      await pause(pauseMs * (0.5 + Math.random()), signal)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }

  async #serve(session: NatsSession): Promise<void> {
    if (this.#closed.signal.aborted) return session.nc.close()
    this.#session = session
    this.#nextSession.resolve(session)
    for (const use of this.#connectListeners) use(session)
    await session.nc.closed()
    this.#session = undefined
    this.#nextSession = Promise.withResolvers()
  }

  /** Flushes published messages and closes the connection. */
  async close(): Promise<void> {
    this.#closed.abort()
    await this.#session?.nc.drain().catch(() => {})
    await this.#running
  }
}
