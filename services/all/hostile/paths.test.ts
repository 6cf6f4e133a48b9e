import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { ownInput } from '../testing/cases.ts'
import { DOCUMENTED } from '../testing/document.ts'
import { targetOf } from '../testing/inputs.ts'
import { arena } from './testing/arena.ts'
import { wrongPaths } from './testing/targets.ts'
import { faultsIn } from './testing/verdict.ts'
import { requestBytes, sendBytes } from './testing/wire.ts'

/** Paths as no client library would send them, and methods that the path does not know. */
setDefaultTimeout(60_000)
const hostile = await arena()
const { port } = hostile.world.market.running
const each = DOCUMENTED.map((operation) => [operation.id, operation] as const)
/** A wrong path may be no path at all, one with other methods, or too long. */
const ELSEWHERE = [404, 405, 414]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE']

const headersOf = (token: string | undefined, type: string[] = []) => [
  'Host: localhost',
  `X-Forwarded-For: ${hostile.world.address()}`,
  ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ...type,
]

describe('paths', () => {
  test.each(each)('%s', async (_, operation) => {
    const { method } = operation
    const callers = await hostile.callers(operation)
    const [, administrator] = callers
    if (!administrator) throw new Error('nobody may do this')
    const targets = wrongPaths(operation, await ownInput(operation, hostile.world, administrator))
    const requests = callers.flatMap((caller) => targets.map((target) => ({ caller, ...target })))
    const faults = await hostile.all(requests, async ({ caller, name, target }) => {
      const headers = headersOf(await hostile.token(caller), ['Content-Length: 0'])
      const answer = await sendBytes(port, requestBytes({ method, target, headers }))
      return faultsIn(operation, { method, target }, answer, ELSEWHERE).map(
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
      return [...faultsIn({ ...operation, statuses: new Set([414]) }, { method, target }, answer), ...silent]
    })
    expect(faults).toEqual([])
  })
})

describe('methods', () => {
  test.each(each)('%s', async (_, operation) => {
    const callers = await hostile.callers(operation)
    const [, administrator] = callers
    if (!administrator) throw new Error('nobody may do this')
    const target = targetOf(operation, await ownInput(operation, hostile.world, administrator))
    const known = DOCUMENTED.filter(({ path }) => path === operation.path).map((other) => other.method)
    const others = METHODS.filter((method) => !known.includes(method))
    const requests = callers.flatMap((caller) => others.map((method) => ({ caller, method })))
    const faults = await hostile.all(requests, async ({ caller, method }) => {
      const headers = headersOf(await hostile.token(caller), ['Content-Length: 0'])
      const answer = await sendBytes(port, requestBytes({ method, target, headers }))
      const expected = new Set([method === 'OPTIONS' ? 204 : 405])
      return faultsIn({ ...operation, statuses: expected }, { method, target }, answer).map(
        (fault) => `${caller?.name ?? 'anonymous'}, ${method}: ${fault}`,
      )
    })
    expect(faults).toEqual([])
    const head = await hostile.send({ name: 'HEAD', method: 'HEAD', target }, administrator)
    const read = known.includes('GET') ? operation.success : 405
    expect([head.status, head.text]).toEqual([read, ''])
  })
})

test('the process lives on', async () => {
  expect((await fetch(`${hostile.world.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
