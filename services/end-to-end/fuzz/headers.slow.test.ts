import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { encoded } from '../../testing/client.ts'
import type { Account } from '../../testing/fixtures.ts'
import { type Answer, harness } from '../../testing/fuzz/harness.ts'
import { type HeaderSet, headerSets, LENGTH } from '../../testing/fuzz/headers.ts'
import { shareOf } from '../../testing/fuzz/shares.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { requestBytes, sendBytes } from '../../testing/fuzz/wire.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { type Input, targetOf } from '../../testing/operations/inputs.ts'
import { ownInput, sampleOf, sharedInput } from '../../testing/operations/samples.ts'

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

/** Sends with the line of the caller's token. Beside the client of OAuth there is no token. */
const withBearer = (
  { contract }: Documented,
  caller: Account | undefined,
  sendWith: (bearer: string[]) => Promise<Answer>,
): Promise<Answer> =>
  fuzz.withToken(contract.client ? undefined : caller, (token) =>
    sendWith(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  )

/** Valid inputs. A request can consume its record only when it succeeds. */
class InputPool {
  readonly #operation: Documented
  readonly #administrator: Account
  readonly #inputs: Input[] = []

  constructor(operation: Documented, administrator: Account) {
    this.#operation = operation
    this.#administrator = administrator
  }

  async take(): Promise<Input> {
    const create = this.#operation.method === 'GET' ? sharedInput : ownInput
    return this.#inputs.pop() ?? (await create(this.#operation, fuzz.fixtures, this.#administrator))
  }

  /** Keeps what the request did not consume. */
  giveBack(input: Input, { status }: Answer): void {
    if (this.#operation.method === 'GET' || status >= 400) this.#inputs.push(input)
  }
}

/** Bun closes the connection or responds with an empty body before the request reaches the product. */
const isAnsweredByBun = ({ status, text }: Answer) =>
  status === 0 || ([400, 413, 417, 431].includes(status) && text === '')

const isInvalidField = ({ status, text }: Answer) =>
  [400, 422].includes(status) && /validation_error|invalid_request/.test(text)

/** Headers that are stored or affect throttling: only these are sent to operations that hash passwords. */
const STORED = /^(user agent|forwarded|request id)/

/**
 * Each header is sent to a part of the operations, which read it by the same code, and all headers to one operation of
 * each kind of request. The request of an administrator is fully processed, which needs a record for each change.
 */
function requestsOf(operation: Documented, callers: Awaited<ReturnType<typeof fuzz.callers>>) {
  const [anonymous, administrator, powerless] = callers
  const turn = DOCUMENTED.indexOf(operation)
  const sets = headerSets(operation)
  const tokens = sets.filter(({ replacesToken }) => replacesToken)
  const invalid = sets.filter(({ isInvalid }) => isInvalid)
  const others = sets.filter(
    (set) => !tokens.includes(set) && !invalid.includes(set) && (!sampleOf(operation).costly || STORED.test(set.name)),
  )
  const sentBy = (caller: Account | undefined, from: readonly HeaderSet[]) => from.map((set) => ({ caller, ...set }))
  return [
    ...sentBy(anonymous, shareOf(operation, tokens, 6)),
    ...sentBy(callers[turn % callers.length], invalid),
    ...sentBy(administrator, shareOf(operation, others, operation.method === 'GET' ? 12 : 20)),
    ...sentBy(turn % 2 === 0 ? anonymous : powerless, shareOf(operation, others, 20, 10)),
  ]
}

describe('headers', () => {
  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await fuzz.callers(operation)
    const [, administrator] = callers
    const requests = requestsOf(operation, callers)
    const pool = new InputPool(operation, administrator)
    const violations = await fuzz.collect(
      requests,
      async ({ caller, name, lines, replacesToken, alsoAllowed, isInvalid }) => {
        const input = await pool.take()
        const target = targetOf(operation, input)
        const answer = replacesToken
          ? await send(operation, input, lines, target)
          : await withBearer(operation, caller, (bearer) => send(operation, input, [...bearer, ...lines], target))
        pool.giveBack(input, answer)
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
    const pool = new InputPool(operation, administrator)
    const sendTo = async (changed: (target: string) => string, host: readonly string[]) => {
      const input = await pool.take()
      const target = changed(targetOf(operation, input))
      const answer = await withBearer(operation, administrator, (bearer) =>
        send(operation, input, [...bearer, ...host], target),
      )
      pool.giveBack(input, answer)
      return answer
    }
    const prefixed = await sendTo((target) => `/zzz${target}`, ['Host: x'])
    expect(prefixed.status).toBe(404)
    for (const { name, host, changed } of targetsFor(operation)) {
      const answer = await sendTo(changed, host)
      const expected = [operation.success, 404, operation.errorFormat === 'v2.3' ? 422 : 400]
      // The first request used up the code or the challenge.
      if (USED_ONCE.includes(operation.id)) expected.push(401)
      const violation = expected.includes(answer.status) ? undefined : `${name}: ${answer.status} ${answer.text}`
      expect(violation).toBeUndefined()
    }
  })
})

const USED_ONCE = ['exchangeSsoCode', 'signInWithPasskey', 'signInWithFirstPasskey']

/** Unusual hosts and targets that must not reach another operation. */
const TARGETS = [
  { name: 'Host: x', host: ['Host: x'], changed: (target: string) => target },
  { name: 'empty host', host: ['Host:'], changed: (target: string) => target },
  { name: 'host with a path', host: ['Host: x/v1/parts'], changed: (target: string) => target },
  { name: 'host with a user', host: ['Host: a:b@localhost'], changed: (target: string) => target },
  { name: 'absolute form', host: [], changed: (target: string) => `http://other.example${target}` },
  { name: 'absolute form with a user', host: [], changed: (target: string) => `http://a:b@other.example:1${target}` },
]

/** Each operation sends a third, and one operation of each kind of request all of them. */
const targetsFor = (operation: Documented) => shareOf(operation, TARGETS, 3)

test('the process still responds', async () => {
  expect((await fetch(`${fuzz.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
