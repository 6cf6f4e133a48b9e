import { type CapturedLog, captureLog } from '../captured-log.ts'
import { type Account, FIXTURE_SETTINGS, Fixtures } from '../fixtures.ts'
import { testMarketplace } from '../marketplace.ts'
import { DOCUMENTED, type Documented } from '../operations/document.ts'
import { sampleOf } from '../operations/samples.ts'
import { openSession } from '../sessions.ts'

/** A hostile request that `fetch` can send. */
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

const CONCURRENCY = 6
/** Of the requests to an operation, the callers that are refused early send one of so many. */
const SENT_BY_OTHERS = 10

/**
 * The items that a caller sends to an operation. The caller whose requests pass authentication and the permission check
 * sends all. Each other one sends a tenth, of every operation another one, because reading a request does not depend on
 * permissions.
 */
export function sentBy<T>(caller: Account | undefined, operation: Documented, items: readonly T[]): readonly T[] {
  const passes = operation.contract.access === 'public' ? caller === undefined : caller?.standing === 'administrator'
  const first = DOCUMENTED.indexOf(operation)
  return passes ? items : items.filter((_, index) => (first + index) % SENT_BY_OTHERS === 0)
}

/** A marketplace and the callers that send hostile requests to it. */
class FuzzHarness {
  readonly fixtures: Fixtures
  readonly log: CapturedLog

  constructor(fixtures: Fixtures, log: CapturedLog) {
    this.fixtures = fixtures
    this.log = log
  }

  /** An anonymous caller, an administrator, and a user without permissions. */
  async callers(operation: Documented): Promise<[undefined, Account, Account]> {
    const kind = sampleOf(operation).by ?? 'owner'
    const administrator = await this.fixtures.account(kind, 'administrator')
    return [undefined, administrator, await this.fixtures.account(kind, 'powerless')]
  }

  /** Calls `visit` for each item, several at a time, and collects the violations. */
  async collect<T>(items: readonly T[], visit: (item: T) => Promise<string[]>): Promise<string[]> {
    const violations: string[] = []
    let next = 0
    const worker = async () => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) violations.push(...(await visit(item)))
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    return violations
  }

  send(request: HostileRequest, caller: Account | undefined): Promise<Answer> {
    return this.withToken(caller, (token) => this.#sendOnce(request, token))
  }

  /**
   * Sends a request with the caller's token, again with a new session if a command of the test has ended the old one.
   */
  async withToken(caller: Account | undefined, send: (token: string | undefined) => Promise<Answer>): Promise<Answer> {
    const answer = await send(caller?.client.accessToken)
    if (answer.status !== 401 || !caller || !isUnauthorized(answer.text)) return answer
    const { accessToken } = await openSession(this.fixtures.market, caller)
    caller.client.accessToken = accessToken
    return send(accessToken)
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
    hasWorkers: false,
  })
  return new FuzzHarness(new Fixtures(market), log)
}
