import { caseOf } from '../../testing/cases.ts'
import type { Documented } from '../../testing/document.ts'
import { type CapturedLog, captureLog } from '../../testing/log.ts'
import { openSession } from '../../testing/sessions.ts'
import { type Account, WORLD_SETTINGS, World } from '../../testing/world.ts'
import { testMarketplace } from '../../testing.ts'

/** A request as hostile as `fetch` lets it be. */
export interface HostileRequest {
  name: string
  method: string
  target: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

export interface Answer {
  status: number
  headers: Headers
  text: string
}

const AT_ONCE = 12

/** A marketplace under attack, and who attacks it. */
export class Arena {
  readonly world: World
  readonly log: CapturedLog

  constructor(world: World, log: CapturedLog) {
    this.world = world
    this.log = log
  }

  /** Nobody, somebody who may do everything, and somebody who may do nothing. */
  async callers(operation: Documented): Promise<(Account | undefined)[]> {
    const kind = caseOf(operation).by ?? 'owner'
    const standings = ['administrator', 'powerless'] as const
    return [undefined, ...(await Promise.all(standings.map((standing) => this.world.account(kind, standing))))]
  }

  /** Some at a time, in order; what is said of each is put together. */
  async all<T>(items: readonly T[], visit: (item: T) => Promise<string[]>): Promise<string[]> {
    const said: string[] = []
    let next = 0
    const visitor = async () => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) said.push(...(await visit(item)))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, visitor))
    return said
  }

  /** A token that a command of this very test has ended is replaced: a caller stays signed in. */
  async send(request: HostileRequest, caller: Account | undefined): Promise<Answer> {
    const answer = await this.#sendOnce(request, caller?.client.accessToken)
    if (answer.status !== 401 || !caller || !isUnauthorized(answer.text)) return answer
    const { accessToken } = await openSession(this.world.market, caller)
    caller.client.accessToken = accessToken
    return this.#sendOnce(request, (await openSession(this.world.market, caller)).accessToken)
  }

  /** A live token of the caller, for requests that are written byte by byte. */
  async token(caller: Account | undefined): Promise<string | undefined> {
    return caller && (await openSession(this.world.market, caller)).accessToken
  }

  async #sendOnce({ method, target, headers, body }: HostileRequest, token: string | undefined): Promise<Answer> {
    const response = await fetch(`${this.world.market.url}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': this.world.address(),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

const isUnauthorized = (text: string) => text.includes('"unauthorized"')

export async function arena(): Promise<Arena> {
  const log = captureLog()
  const market = await testMarketplace({ ...WORLD_SETTINGS, LOG_LEVEL: 'info' }, undefined, {
    logDestination: log.destination,
  })
  return new Arena(new World(market), log)
}
