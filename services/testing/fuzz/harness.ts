import { type CapturedLog, captureLog } from '../captured-log.ts'
import { type Account, FIXTURE_SETTINGS, Fixtures } from '../fixtures.ts'
import { testMarketplace } from '../marketplace.ts'
import { caseOf } from '../operations/cases.ts'
import type { Documented } from '../operations/document.ts'
import { openSession } from '../sessions.ts'

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
export class FuzzHarness {
  readonly fixtures: Fixtures
  readonly log: CapturedLog

  constructor(fixtures: Fixtures, log: CapturedLog) {
    this.fixtures = fixtures
    this.log = log
  }

  /** Nobody, somebody who may do everything, and somebody who may do nothing. */
  async callers(operation: Documented): Promise<(Account | undefined)[]> {
    const kind = caseOf(operation).by ?? 'owner'
    const standings = ['administrator', 'powerless'] as const
    return [undefined, ...(await Promise.all(standings.map((standing) => this.fixtures.account(kind, standing))))]
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
    const { accessToken } = await openSession(this.fixtures.market, caller)
    caller.client.accessToken = accessToken
    return this.#sendOnce(request, (await openSession(this.fixtures.market, caller)).accessToken)
  }

  /** A live token of the caller, for requests that are written byte by byte. */
  async token(caller: Account | undefined): Promise<string | undefined> {
    return caller && (await openSession(this.fixtures.market, caller)).accessToken
  }

  async #sendOnce({ method, target, headers, body }: HostileRequest, token: string | undefined): Promise<Answer> {
    const response = await fetch(`${this.fixtures.market.url}${target}`, {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': this.fixtures.address(),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

const isUnauthorized = (text: string) => text.includes('"unauthorized"')

export async function harness(): Promise<FuzzHarness> {
  const log = captureLog()
  const market = await testMarketplace({ ...FIXTURE_SETTINGS, LOG_LEVEL: 'info' }, undefined, {
    logDestination: log.destination,
  })
  return new FuzzHarness(new Fixtures(market), log)
}
