import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { encoded } from '../../testing/client.ts'
import type { Account } from '../../testing/fixtures.ts'
import { type Answer, harness } from '../../testing/fuzz/harness.ts'
import { headerSets, LENGTH } from '../../testing/fuzz/headers.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { requestBytes, sendBytes } from '../../testing/fuzz/wire.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { type Input, targetOf } from '../../testing/operations/inputs.ts'
import { ownInput, sampleOf } from '../../testing/operations/samples.ts'

/** Hostile header lines over a raw socket, in otherwise valid requests. */
setDefaultTimeout(60_000)
const fuzz = await harness()
const { port } = fuzz.fixtures.market.running

async function send(operation: Documented, input: Input, lines: readonly string[], target: string) {
  // One character for each byte, as in the rest of the request.
  const contentType = input.headers['content-type'] ?? 'application/json'
  const body = input.body === undefined ? '' : Buffer.from(encoded(input.body, contentType)).toString('latin1')
  const length = lines.some((line) => /^(content-length|transfer-encoding):/i.test(line))
  const type = lines.some((line) => /^content-type:/i.test(line))
  const headers = [
    ...(lines.some((line) => /^host:/i.test(line)) ? [] : ['Host: localhost']),
    ...(lines.some((line) => /^x-forwarded-for:/i.test(line)) ? [] : [`X-Forwarded-For: ${fuzz.fixtures.address()}`]),
    ...(body === '' || type ? [] : [`Content-Type: ${contentType}`]),
    ...(length ? [] : [`Content-Length: ${body.length}`]),
    ...lines.map((line) => line.replace(LENGTH, String(body.length))),
  ]
  // Operations that hash passwords wait for each other.
  const options = sampleOf(operation).costly ? { deadlineMs: 20_000 } : {}
  return sendBytes(port, requestBytes({ method: operation.method, target, headers, body }), options)
}

/** Beside the client of OAuth there is no token. */
const bearer = async ({ contract }: Documented, caller: Account | undefined) => {
  const token = contract.client ? undefined : await fuzz.token(caller)
  return token === undefined ? [] : [`Authorization: Bearer ${token}`]
}

/**
 * Valid inputs, and tokens of each caller. A request can consume its record or end the session only when it succeeds.
 */
class RequestPool {
  readonly #operation: Documented
  readonly #administrator: Account
  readonly #inputs: Input[] = []
  readonly #tokens = new Map<Account | undefined, string[][]>()

  constructor(operation: Documented, administrator: Account) {
    this.#operation = operation
    this.#administrator = administrator
  }

  async take(caller: Account | undefined): Promise<{ input: Input; token: string[] }> {
    return {
      input: this.#inputs.pop() ?? (await ownInput(this.#operation, fuzz.fixtures, this.#administrator)),
      token: this.#tokens.get(caller)?.pop() ?? (await bearer(this.#operation, caller)),
    }
  }

  /** Keeps what the request did not consume. */
  giveBack(caller: Account | undefined, { input, token }: { input: Input; token: string[] }, { status }: Answer): void {
    if (this.#operation.method !== 'GET' && status < 400) return
    this.#inputs.push(input)
    this.#tokens.set(caller, [...(this.#tokens.get(caller) ?? []), token])
  }
}

/** Bun closes the connection or responds with an empty body before the request reaches the product. */
const isAnsweredByBun = ({ status, text }: Answer) =>
  status === 0 || ([400, 413, 417, 431].includes(status) && text === '')

const isInvalidField = ({ status, text }: Answer) =>
  [400, 422].includes(status) && /validation_error|invalid_request/.test(text)

/** Headers that are stored or affect throttling: only these are sent to operations that hash passwords. */
const STORED = /^(user agent|forwarded|request id)/
const setsFor = (operation: Documented, caller: Account | undefined) =>
  headerSets(operation).filter(
    ({ name, replacesToken, isInvalid }, index) =>
      isInvalid ||
      ((!sampleOf(operation).costly || STORED.test(name)) &&
        // Invalid tokens are sent once.
        (replacesToken ? caller === undefined : isSentBy(caller, operation, index))),
  )

/**
 * Each header is sent to each operation. The request of an administrator is fully processed, which needs a record for
 * each change, so of a command the administrator sends another fourth of the headers than of the next operation, and a
 * caller without permissions sends the rest.
 */
function isSentBy(caller: Account | undefined, operation: Documented, index: number): boolean {
  const isProcessed = operation.method === 'GET' || (index + DOCUMENTED.indexOf(operation)) % 4 === 0
  if (caller?.standing === 'administrator') return isProcessed
  return index % 4 === 0 || (caller !== undefined && !isProcessed)
}

describe('headers', () => {
  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await fuzz.callers(operation)
    const [, administrator] = callers
    const requests = callers.flatMap((caller) => setsFor(operation, caller).map((set) => ({ caller, ...set })))
    const pool = new RequestPool(operation, administrator)
    const violations = await fuzz.collect(
      requests,
      async ({ caller, name, lines, replacesToken, alsoAllowed, isInvalid }) => {
        const taken = await pool.take(caller)
        const target = targetOf(operation, taken.input)
        const answer = await send(operation, taken.input, replacesToken ? lines : [...taken.token, ...lines], target)
        pool.giveBack(caller, taken, answer)
        const label = `${caller?.name ?? 'anonymous'}, ${name}`
        if (isInvalid && !isInvalidField(answer)) return [`${label}: ${answer.status} ${answer.text}`]
        if (alsoAllowed.includes(0) && isAnsweredByBun(answer)) return []
        return findViolations(operation, { method: operation.method, target }, answer, alsoAllowed).map(
          (f) => `${label}: ${f}`,
        )
      },
    )
    expect(violations).toEqual([])
    expect(fuzz.log.errors()).toEqual([])
  })
})

describe('unusual targets and hosts, and a path prefix, which is 404', () => {
  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const [, administrator] = await fuzz.callers(operation)
    const pool = new RequestPool(operation, administrator)
    const sendTo = async (changed: (target: string) => string, host: readonly string[]) => {
      const taken = await pool.take(administrator)
      const target = changed(targetOf(operation, taken.input))
      const answer = await send(operation, taken.input, [...taken.token, ...host], target)
      pool.giveBack(administrator, taken, answer)
      return answer
    }
    const prefixed = await sendTo((target) => `/zzz${target}`, ['Host: x'])
    expect(prefixed.status).toBe(404)
    for (const { name, host, changed } of targetsFor(operation)) {
      const answer = await sendTo(changed, host)
      const expected = [operation.success, 404, operation.errorFormat === 'v2.3' ? 422 : 400]
      const violation = expected.includes(answer.status) ? undefined : `${name}: ${answer.status} ${answer.text}`
      expect(violation).toBeUndefined()
    }
  })
})

/** Unusual hosts and targets that must not reach another operation. */
const TARGETS = [
  { name: 'Host: x', host: ['Host: x'], changed: (target: string) => target },
  { name: 'empty host', host: ['Host:'], changed: (target: string) => target },
  { name: 'host with a path', host: ['Host: x/v1/parts'], changed: (target: string) => target },
  { name: 'host with a user', host: ['Host: a:b@localhost'], changed: (target: string) => target },
  { name: 'absolute form', host: [], changed: (target: string) => `http://other.example${target}` },
  { name: 'absolute form with a user', host: [], changed: (target: string) => `http://a:b@other.example:1${target}` },
]

/** A command that succeeds needs another record, so of three commands each sends another third. */
const targetsFor = (operation: Documented) =>
  TARGETS.filter((_, index) => operation.method === 'GET' || (index + DOCUMENTED.indexOf(operation)) % 3 === 0)

test('the process still responds', async () => {
  expect((await fetch(`${fuzz.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
