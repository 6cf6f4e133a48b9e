import { ownerOf } from '../../../../proto/paths.ts'
import type { ServiceName } from '../../../../proto/services.ts'
import { KeptAliveClient } from '../../../../services/testing/kept-alive.ts'
import type { RawAnswer } from '../../../../services/testing/socket.ts'
import { type Counts, isUnavailable, NOTHING } from './counts.ts'

/** Longer than any deadline of the services. */
const ANSWER_MS = 30_000
/** Of each connection. There are forty, so that the load is 200 requests a second. */
const PER_SECOND = 5
const BEHIND_MS = 1000
const SIGN_IN_EVERY_MS = 10_000
const FAILURES_MAX = 50

export interface Account {
  username: string
  password: string
  orgId: string
}

type AddressOf = (service: ServiceName) => { host: string; port: number }

/** Requests on forty kept-alive connections, most of them to sourcing, that remembers every acknowledged write. */
export class ServiceLoad {
  readonly counts: Counts = { ...NOTHING }
  readonly failures: string[] = []
  longestMs = 0
  readonly #addressOf: AddressOf
  readonly #account: Account
  readonly #parts: string[] = []
  /** The number in the last acknowledged title of each part that is changed. */
  readonly #titles = new Map<string, number>()
  #token = ''
  #stopping = false
  #loops: Promise<void>[] = []

  constructor(addressOf: AddressOf, account: Account) {
    this.#addressOf = addressOf
    this.#account = account
  }

  async start(): Promise<void> {
    await this.#signIn()
    if (this.#token === '') throw new Error(`no sign-in: ${this.failures}`)
    const changed = await this.#createPart(this.#client('sourcing'))
    if (changed === undefined) throw new Error(`no part: ${this.failures}`)
    const reads: [string, number][] = [
      ['/v1/parts?pageSize=20&view=IP_OWNER', 6],
      ['/v1/materials', 6],
      [`/v1/orgs/${this.#account.orgId}`, 4],
      ['/.well-known/jwks.json', 2],
      ['/v2.3/webhooks/endpoints', 2],
    ]
    for (const [path, connections] of reads) {
      this.#repeat(connections, path, (client) => this.#read(client, path))
    }
    const newest = () => `/v1/parts/${this.#parts.at(-1)}`
    this.#repeat(12, newest(), (client) => this.#read(client, newest()))
    this.#repeat(7, '/v1/parts', (client) => this.#createPart(client))
    this.#repeat(1, '/flows/v1/parts', (client) => this.#change(client, changed))
    this.#loops.push(this.#keepSignedIn())
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#loops)
  }

  /** The acknowledged writes that the services no longer know. Call it after `stop`. */
  async missing(): Promise<string[]> {
    const missing: string[] = []
    const remaining = [...this.#parts]
    const check = async () => {
      const client = this.#client('sourcing')
      for (let id = remaining.pop(); id !== undefined; id = remaining.pop()) {
        const { status, body } = await client.send(requestOf('GET', `/v1/parts/${id}`, this.#token))
        const title = this.#titles.get(id)
        const found = status === 200 && (title === undefined || numberOf(body) >= title)
        if (!found) missing.push(`${id}: ${status} ${body.slice(0, 200)}`)
      }
      client.close()
    }
    await Promise.all(Array.from({ length: 10 }, check))
    return missing
  }

  #repeat(connections: number, path: string, send: (client: KeptAliveClient) => Promise<unknown>): void {
    for (let at = 0; at < connections; at++)
      this.#loops.push(this.#pace(this.#client(ownerOf(path.split('?')[0] ?? '')), send))
  }

  async #pace(client: KeptAliveClient, send: (client: KeptAliveClient) => Promise<unknown>): Promise<void> {
    let due = performance.now()
    while (!this.#stopping) {
      await send(client)
      // A late request is made up for, unless there are many.
      due = Math.max(due + 1000 / PER_SECOND, performance.now() - BEHIND_MS)
      await Bun.sleep(Math.max(0, due - performance.now()))
    }
    client.close()
  }

  async #keepSignedIn(): Promise<void> {
    let next = performance.now() + SIGN_IN_EVERY_MS
    while (!this.#stopping) {
      await Bun.sleep(100)
      if (performance.now() < next) continue
      next += SIGN_IN_EVERY_MS
      await this.#signIn()
    }
  }

  async #signIn(): Promise<void> {
    const { username, password } = this.#account
    const body = { grant_type: 'password', username, password }
    const client = this.#client('identity')
    const answer = await this.#send(client, 'POST', '/v2.3/oauth/token', body)
    client.close()
    if (answer) this.#token = JSON.parse(answer.body).access_token
  }

  #read(client: KeptAliveClient, path: string): Promise<RawAnswer | undefined> {
    return this.#send(client, 'GET', path)
  }

  async #createPart(client: KeptAliveClient): Promise<string | undefined> {
    const answer = await this.#send(client, 'POST', '/v1/parts', { title: 'Flange' })
    if (!answer) return undefined
    const { id }: { id: string } = JSON.parse(answer.body)
    this.#parts.push(id)
    this.counts.acknowledged += 1
    return id
  }

  async #change(client: KeptAliveClient, id: string): Promise<void> {
    const number = (this.#titles.get(id) ?? 0) + 1
    const answer = await this.#send(client, 'PATCH', `/flows/v1/parts/${id}`, { title: `Flange ${number}` })
    if (!answer) return
    this.#titles.set(id, number)
    this.counts.acknowledged += 1
  }

  /** The answer, if its status is 200. */
  async #send(client: KeptAliveClient, method: string, path: string, body?: unknown): Promise<RawAnswer | undefined> {
    const began = performance.now()
    this.counts.sent += 1
    const answer = await withDeadline(client.send(requestOf(method, path, this.#token, body))).catch(String)
    this.longestMs = Math.max(this.longestMs, performance.now() - began)
    if (typeof answer !== 'string' && answer.status === 200) {
      this.counts.succeeded += 1
      return answer
    }
    if (typeof answer !== 'string' && isUnavailable(answer)) {
      this.counts.unavailable += 1
      return undefined
    }
    const reason = typeof answer === 'string' ? answer : `${answer.status} ${answer.body.slice(0, 300)}`
    this.counts.failed += 1
    if (this.failures.length < FAILURES_MAX) {
      const tookMs = Math.round(performance.now() - began)
      this.failures.push(`${new Date().toISOString()} ${method} ${path} after ${tookMs} ms: ${reason}`)
    }
    client.close()
    return undefined
  }

  #client(service: ServiceName): KeptAliveClient {
    const { host, port } = this.#addressOf(service)
    return new KeptAliveClient(() => port, host)
  }
}

const numberOf = (part: string) => Number(/"title":"Flange (\d+)"/.exec(part)?.[1] ?? 0)

async function withDeadline<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The bytes of a request. */
export function requestOf(method: string, path: string, token: string, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const fields = [
    'Host: marketplace',
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
  ]
  return `${method} ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${text}`
}
