import { readFile } from 'node:fs/promises'
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from 'nats'
import { pause } from '../../worker/worker.ts'
import type { BusLog } from '../log.ts'

export interface NatsAddress {
  /** Servers separated by commas: `nats://user:password@host:4222`, `nats://token@host`, `tls://host`. */
  url: string
  /** File with a user's JWT and seed, as `nsc` makes it. Read at each connect, so it may be exchanged. */
  credsFile?: string
}

/** One connection from its beginning to its end. It is never mended: what comes after is another one. */
export interface Live {
  nc: NatsConnection
  js: JetStreamClient
  jsm: JetStreamManager
  /** Aborted when the connection is gone, and every subscription and pull with it. */
  down: AbortSignal
}

const CONNECT_TIMEOUT_MS = 5000
export const REQUEST_TIMEOUT_MS = 5000
const PING_INTERVAL_MS = 2000
const PINGS_UNANSWERED = 2
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000

/** Connects once, or throws. */
export async function connectOnce({ url, credsFile }: NatsAddress, name: string): Promise<Live> {
  const nc = await connect({
    ...optionsOf(url),
    ...(credsFile === undefined ? {} : { authenticator: credsAuthenticator(await readFile(credsFile)) }),
    name,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED,
    reconnect: false,
  })
  const down = new AbortController()
  void nc.closed().then(() => down.abort())
  const jsm = await nc.jetstreamManager({ checkAPI: false, timeout: REQUEST_TIMEOUT_MS })
  return { nc, js: nc.jetstream({ timeout: REQUEST_TIMEOUT_MS }), jsm, down: down.signal }
}

/** The driver knows hosts only: what else the addresses say has to be told apart. */
export function optionsOf(url: string): ConnectionOptions {
  const addresses = url.split(',').map((address) => new URL(address.trim()))
  const [named] = addresses.filter((address) => address.username !== '')
  const user = decodeURIComponent(named?.username ?? '')
  const pass = decodeURIComponent(named?.password ?? '')
  return {
    servers: addresses.map((address) => address.host),
    ...(addresses.some((address) => address.protocol === 'tls:') ? { tls: {} } : {}),
    ...(pass !== '' ? { user, pass } : user !== '' ? { token: user } : {}),
  }
}

/** Keeps a connection for a service: connects in the background, again and again. */
export class Link {
  readonly #address: NatsAddress
  readonly #name: string
  readonly #log: BusLog
  readonly #closed = new AbortController()
  readonly #onUp = new Set<(live: Live) => void>()
  readonly #running: Promise<void>
  #live: Live | undefined
  #waiting = Promise.withResolvers<Live>()

  constructor(address: NatsAddress, name: string, log: BusLog) {
    // An address that cannot be read is a mistake of the configuration, told at once instead of tried for ever.
    optionsOf(address.url)
    this.#address = address
    this.#name = name
    this.#log = log
    this.#running = this.#run()
  }

  /** The connection of this moment, if there is one. */
  get live(): Live | undefined {
    return this.#live
  }

  /** Calls for each connection, the present one included. */
  onUp(use: (live: Live) => void): void {
    this.#onUp.add(use)
    if (this.#live) use(this.#live)
  }

  /** Waits for a connection; nothing when the signal comes first. */
  async up(signal: AbortSignal): Promise<Live | undefined> {
    if (this.#live || signal.aborted) return signal.aborted ? undefined : this.#live
    const ended = Promise.withResolvers<undefined>()
    const end = () => ended.resolve(undefined)
    signal.addEventListener('abort', end)
    try {
      return await Promise.race([this.#waiting.promise, ended.promise])
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    let pauseMs = FIRST_PAUSE_MS
    while (!signal.aborted) {
      try {
        const live = await connectOnce(this.#address, this.#name)
        pauseMs = FIRST_PAUSE_MS
        await this.#attend(live)
        if (!signal.aborted) this.#log.warn({}, 'connection to NATS lost')
      } catch (error) {
        if (!signal.aborted) this.#log.warn({ err: error }, 'NATS cannot be reached')
      }
      // Not all processes at the same moment.
      await pause(pauseMs * (0.5 + Math.random()), signal)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }

  async #attend(live: Live): Promise<void> {
    if (this.#closed.signal.aborted) return live.nc.close()
    this.#live = live
    this.#waiting.resolve(live)
    for (const use of this.#onUp) use(live)
    await live.nc.closed()
    this.#live = undefined
    this.#waiting = Promise.withResolvers()
  }

  /** What was published is sent before the connection closes. */
  async close(): Promise<void> {
    this.#closed.abort()
    await this.#live?.nc.drain().catch(() => {})
    await this.#running
  }
}
