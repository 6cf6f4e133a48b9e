import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pathPattern } from '../../kit/http/target.ts'
import type { Account } from '../../testing/fixtures.ts'
import { harness, sentBy } from '../../testing/fuzz/harness.ts'
import { shareOf } from '../../testing/fuzz/shares.ts'
import { wrongPaths } from '../../testing/fuzz/targets.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { requestBytes, sendBytes } from '../../testing/fuzz/wire.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { targetOf } from '../../testing/operations/inputs.ts'
import { ownInput, sharedInput, statusFor } from '../../testing/operations/samples.ts'

/**
 * Hostile paths over a raw socket, and methods that the path does not support. One operation of each kind of request
 * gets every path; the others take turns.
 */
setDefaultTimeout(60_000)
const fuzz = await harness()
const { port } = fuzz.fixtures.market.running
const each = DOCUMENTED.map((operation) => [operation.id, operation] as const)
/** A wrong path can be unknown, support other methods, or be too long. */
const WRONG_PATH = [404, 405, 414]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']

const headersOf = (token: string | undefined, type: string[] = []) => [
  'Host: localhost',
  `X-Forwarded-For: ${fuzz.fixtures.address()}`,
  ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ...type,
]

/** A command can succeed at a path that means the same. */
const inputOf = (operation: Documented, account: Account) =>
  (operation.method === 'GET' ? sharedInput : ownInput)(operation, fuzz.fixtures, account)

describe('paths', () => {
  test.each(each)('%s', async (_, operation) => {
    const { method } = operation
    const callers = await fuzz.callers(operation)
    const [, administrator] = callers
    const targets = wrongPaths(operation, await inputOf(operation, administrator))
    const requests = callers.flatMap((caller) =>
      sentBy(caller, operation, shareOf(operation, targets, 8)).map((target) => ({ caller, ...target })),
    )
    const violations = await fuzz.collect(requests, async ({ caller, name, target }) => {
      const answer = await fuzz.withToken(caller, (token) =>
        sendBytes(port, requestBytes({ method, target, headers: headersOf(token, ['Content-Length: 0']) })),
      )
      return findViolations(operation, { method, target }, answer, WRONG_PATH).map(
        (violation) => `${caller?.name ?? 'anonymous'}, ${name}: ${violation}`,
      )
    })
    expect(violations).toEqual([])
    expect(fuzz.log.errors()).toEqual([])
  })

  test('ids of 100 KB are 414; longer targets are refused by Bun', async () => {
    const withIds = DOCUMENTED.filter(({ params }) => params.length > 0)
    const violations = await fuzz.collect(withIds, async (operation) => {
      const target = operation.path.replaceAll(/\{\w+\}/g, 'x'.repeat(100_000))
      const { method } = operation
      const answer = await sendBytes(port, requestBytes({ method, target, headers: headersOf(undefined) }))
      const bare = await sendBytes(
        port,
        requestBytes({ method, target: target.repeat(3), headers: headersOf(undefined) }),
      )
      const bareViolations = [0, 414, 431].includes(bare.status) ? [] : [`${operation.id}: bare ${bare.status}`]
      return [
        ...findViolations({ ...operation, statuses: new Set([414]) }, { method, target }, answer),
        ...bareViolations,
      ]
    })
    expect(violations).toEqual([])
  })
})

/** Malformed requests. Bun can refuse them or close the connection. */
const MALFORMED_REQUESTS = [
  'GET\r\n\r\n',
  'GET /v1/parts\r\n\r\n',
  'get /v1/parts HTTP/1.1\r\nHost: x\r\n\r\n',
  'FOO /v1/parts HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/parts HTTP/1.0\r\n\r\n',
  'GET /v1/parts HTTP/2.0\r\nHost: x\r\n\r\n',
  'GET /v1/parts HTTP/9.9\r\nHost: x\r\n\r\n',
  'GET /v1/parts x HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET  /v1/parts HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/pa\0rts HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/pa\x01rts HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT localhost:80 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET v1/parts HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http:// HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/parts HTTP/1.1\r\n\r\n',
  'GET /v1/parts HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
  'GET /v1/parts HTTP/1.1\nHost: x\n\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
]

describe('a path with a prefix is refused for any host', () => {
  const prefixes = Array.from({ length: 12 }, (_, length) => `/${'z'.repeat(length + 1)}`)
  const hosts = [
    '',
    '\r\nHost:',
    ...['x', ':80', '.', '[::1]', '[::1]:80', 'a/b', 'a?b', 'a#b'].map((h) => `\r\nHost: ${h}`),
  ]

  test.each(hosts.map((host) => [JSON.stringify(host), host] as const))('%s', async (_, host) => {
    const { accessToken } = (await fuzz.fixtures.account('owner', 'administrator')).client
    const send = (target: string) =>
      sendBytes(port, `GET ${target} HTTP/1.0${host}\r\nAuthorization: Bearer ${accessToken}\r\n\r\n`)
    const withoutPrefix = await send('/v1/parts')
    expect([200, 400]).toContain(withoutPrefix.status)
    const violations = await fuzz.collect(prefixes, async (prefix) => {
      const { status, text } = await send(`${prefix}/v1/parts`)
      return status === (withoutPrefix.status === 200 ? 404 : 400) ? [] : [`${prefix}: ${status} ${text}`]
    })
    expect(violations).toEqual([])
  })

  test('an error has the requested path in instance', async () => {
    const { status, text } = await sendBytes(port, 'GET /v1/parts HTTP/1.0\r\n\r\n')
    expect([status, JSON.parse(text).instance]).toEqual([400, '/v1/parts'])
  })
})

test('malformed requests are refused or not answered', async () => {
  const statuses: number[] = []
  const violations = await fuzz.collect(MALFORMED_REQUESTS, async (request) => {
    const answer = await sendBytes(port, Buffer.from(request, 'latin1'), { deadlineMs: 500 })
    statuses.push(answer.status)
    // Bun reads a target without a path as `/`, which redirects.
    const expected = [0, 204, 302, 400, 401, 404, 405, 505].includes(answer.status)
    const inEnvelope = answer.text === '' || answer.text.includes(`"status":${answer.status},`)
    return expected && inEnvelope ? [] : [`${JSON.stringify(request)}: ${answer.status} ${answer.text}`]
  })
  expect(violations).toEqual([])
  // Some requests reach the product, and others are refused before routing.
  expect(statuses).toContain(302)
  expect(statuses).toContain(400)
  expect(fuzz.log.errors()).toEqual([])
})

/** The first operation of each path. */
const OF_PATHS = new Map(DOCUMENTED.toReversed().map((operation) => [operation.path, operation]))

describe('methods', () => {
  test.each(each.filter(([, operation]) => OF_PATHS.get(operation.path) === operation))('%s', async (_, operation) => {
    const callers = await fuzz.callers(operation)
    const [, administrator] = callers
    const target = targetOf(operation, await sharedInput(operation, fuzz.fixtures, administrator))
    const known = DOCUMENTED.filter(({ path }) => path === operation.path).map((other) => other.method)
    // The last path element can be an id of another operation, which supports other methods.
    const matching = DOCUMENTED.filter(({ path }) => path !== operation.path && pathPattern(path).test(target))
    const others = METHODS.filter((method) => ![...known, ...matching.map((other) => other.method)].includes(method))
    // The router refuses a method before it knows the caller, so each method has one, of the next path another one.
    const first = DOCUMENTED.indexOf(operation)
    const requests = others.map((method, at) => ({ caller: callers[(first + at) % callers.length], method }))
    const violations = await fuzz.collect(requests, async ({ caller, method }) => {
      const answer = await fuzz.withToken(caller, (token) =>
        sendBytes(port, requestBytes({ method, target, headers: headersOf(token, ['Content-Length: 0']) })),
      )
      const expected = new Set([method === 'OPTIONS' ? 204 : 405])
      return findViolations({ ...operation, statuses: expected }, { method, target }, answer).map(
        (violation) => `${caller?.name ?? 'anonymous'}, ${method}: ${violation}`,
      )
    })
    expect(violations).toEqual([])
    const head = await fuzz.send({ name: 'HEAD', method: 'HEAD', target }, administrator)
    const get = DOCUMENTED.find(({ path, method }) => path === operation.path && method === 'GET')
    const other = matching.find(({ method }) => method === 'GET')
    // The path counts as the id of a record that does not exist.
    const ofOther = other && (statusFor(other, administrator) === 403 ? 403 : 404)
    const read = get ? statusFor(get, administrator) : (ofOther ?? 405)
    expect([head.status, head.text]).toEqual([read, ''])
  })
})

test('the process still responds', async () => {
  expect((await fetch(`${fuzz.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
