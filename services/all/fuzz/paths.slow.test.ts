import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pathPattern } from '../../kit/http/target.ts'
import { harness } from '../../testing/fuzz/harness.ts'
import { wrongPaths } from '../../testing/fuzz/targets.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { requestBytes, sendBytes } from '../../testing/fuzz/wire.ts'
import { ownInput } from '../../testing/operations/cases.ts'
import { DOCUMENTED } from '../../testing/operations/document.ts'
import { targetOf } from '../../testing/operations/inputs.ts'

/** Paths as no client library would send them, and methods that the path does not know. */
setDefaultTimeout(60_000)
const hostile = await harness()
const { port } = hostile.fixtures.market.running
const each = DOCUMENTED.map((operation) => [operation.id, operation] as const)
/** A wrong path may be no path at all, one with other methods, or too long. */
const ELSEWHERE = [404, 405, 414]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']

const headersOf = (token: string | undefined, type: string[] = []) => [
  'Host: localhost',
  `X-Forwarded-For: ${hostile.fixtures.address()}`,
  ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ...type,
]

describe('paths', () => {
  test.each(each)('%s', async (_, operation) => {
    const { method } = operation
    const callers = await hostile.callers(operation)
    const [, administrator] = callers
    if (!administrator) throw new Error('nobody may do this')
    const targets = wrongPaths(operation, await ownInput(operation, hostile.fixtures, administrator))
    const requests = callers.flatMap((caller) => targets.map((target) => ({ caller, ...target })))
    const faults = await hostile.all(requests, async ({ caller, name, target }) => {
      const headers = headersOf(await hostile.token(caller), ['Content-Length: 0'])
      const answer = await sendBytes(port, requestBytes({ method, target, headers }))
      return findViolations(operation, { method, target }, answer, ELSEWHERE).map(
        (fault) => `${caller?.name ?? 'anonymous'}, ${name}: ${fault}`,
      )
    })
    expect(faults).toEqual([])
    expect(hostile.log.alarms()).toEqual([])
  })

  test('ids of 100 KB are 414, and what Bun answers by itself ends the connection alone', async () => {
    const withIds = DOCUMENTED.filter(({ params }) => params.length > 0)
    const faults = await hostile.all(withIds, async (operation) => {
      const target = operation.path.replaceAll(/\{\w+\}/g, 'x'.repeat(100_000))
      const { method } = operation
      const answer = await sendBytes(port, requestBytes({ method, target, headers: headersOf(undefined) }))
      const bare = await sendBytes(
        port,
        requestBytes({ method, target: target.repeat(3), headers: headersOf(undefined) }),
      )
      const silent = [0, 414, 431].includes(bare.status) ? [] : [`${operation.id}: bare ${bare.status}`]
      return [...findViolations({ ...operation, statuses: new Set([414]) }, { method, target }, answer), ...silent]
    })
    expect(faults).toEqual([])
  })
})

/** What is hardly a request. Bun may answer it by itself or hang up; either way the next one is served. */
const NO_REQUESTS = [
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

describe('whatever a path begins with and whichever host is named, it reaches no operation of another path', () => {
  const prefixes = Array.from({ length: 12 }, (_, length) => `/${'z'.repeat(length + 1)}`)
  const hosts = [
    '',
    '\r\nHost:',
    ...['x', ':80', '.', '[::1]', '[::1]:80', 'a/b', 'a?b', 'a#b'].map((h) => `\r\nHost: ${h}`),
  ]

  test.each(hosts.map((host) => [JSON.stringify(host), host] as const))('%s', async (_, host) => {
    const { accessToken } = (await hostile.fixtures.account('owner', 'administrator')).client
    const send = (target: string) =>
      sendBytes(port, `GET ${target} HTTP/1.0${host}\r\nAuthorization: Bearer ${accessToken}\r\n\r\n`)
    const right = await send('/v1/parts')
    expect([200, 400]).toContain(right.status)
    const faults = await hostile.all(prefixes, async (prefix) => {
      const { status, text } = await send(`${prefix}/v1/parts`)
      return status === (right.status === 200 ? 404 : 400) ? [] : [`${prefix}: ${status} ${text}`]
    })
    expect(faults).toEqual([])
  })

  test('an answer tells the path that was asked for', async () => {
    const { status, text } = await sendBytes(port, 'GET /v1/parts HTTP/1.0\r\n\r\n')
    expect([status, JSON.parse(text).instance]).toEqual([400, '/v1/parts'])
  })
})

test('request lines that make no sense are refused or not answered, and the next one is served', async () => {
  const statuses: number[] = []
  const faults = await hostile.all(NO_REQUESTS, async (request) => {
    const answer = await sendBytes(port, Buffer.from(request, 'latin1'), { deadlineMs: 500 })
    statuses.push(answer.status)
    const expected = [0, 204, 400, 401, 404, 405, 505].includes(answer.status)
    const inEnvelope = answer.text === '' || answer.text.includes(`"status":${answer.status},`)
    return expected && inEnvelope ? [] : [`${JSON.stringify(request)}: ${answer.status} ${answer.text}`]
  })
  expect(faults).toEqual([])
  // They were read: some reach us, some are refused before.
  expect(statuses).toContain(404)
  expect(statuses).toContain(400)
  expect(hostile.log.alarms()).toEqual([])
})

describe('methods', () => {
  test.each(each)('%s', async (_, operation) => {
    const callers = await hostile.callers(operation)
    const [, administrator] = callers
    if (!administrator) throw new Error('nobody may do this')
    const target = targetOf(operation, await ownInput(operation, hostile.fixtures, administrator))
    const known = DOCUMENTED.filter(({ path }) => path === operation.path).map((other) => other.method)
    // What stands where an id may stand is an id to the other methods: they are another operation's.
    const taken = DOCUMENTED.filter(({ path }) => path !== operation.path && pathPattern(path).test(target))
    const others = METHODS.filter((method) => ![...known, ...taken.map((other) => other.method)].includes(method))
    const requests = callers.flatMap((caller) => others.map((method) => ({ caller, method })))
    const faults = await hostile.all(requests, async ({ caller, method }) => {
      const headers = headersOf(await hostile.token(caller), ['Content-Length: 0'])
      const answer = await sendBytes(port, requestBytes({ method, target, headers }))
      const expected = new Set([method === 'OPTIONS' ? 204 : 405])
      return findViolations({ ...operation, statuses: expected }, { method, target }, answer).map(
        (fault) => `${caller?.name ?? 'anonymous'}, ${method}: ${fault}`,
      )
    })
    expect(faults).toEqual([])
    const head = await hostile.send({ name: 'HEAD', method: 'HEAD', target }, administrator)
    const read = known.includes('GET') ? 200 : taken.some((other) => other.method === 'GET') ? 404 : 405
    expect([head.status, head.text]).toEqual([read, ''])
  })
})

test('the process lives on', async () => {
  expect((await fetch(`${hostile.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
