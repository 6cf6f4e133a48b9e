import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Account } from '../../testing/fixtures.ts'
import { type Answer, harness } from '../../testing/fuzz/harness.ts'
import { headerSets } from '../../testing/fuzz/headers.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { requestBytes, sendBytes } from '../../testing/fuzz/wire.ts'
import { caseOf, ownInput } from '../../testing/operations/cases.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { type Input, targetOf } from '../../testing/operations/inputs.ts'

/** Header lines as only a raw socket can send them, in front of a request that is right otherwise. */
setDefaultTimeout(60_000)
const hostile = await harness()
const { port } = hostile.fixtures.market.running

async function send(operation: Documented, input: Input, lines: readonly string[], target: string) {
  const body = input.body === undefined ? '' : JSON.stringify(input.body)
  const length = lines.some((line) => /^(content-length|transfer-encoding):/i.test(line))
  const type = lines.some((line) => /^content-type:/i.test(line))
  const headers = [
    ...(lines.some((line) => /^host:/i.test(line)) ? [] : ['Host: localhost']),
    ...(lines.some((line) => /^x-forwarded-for:/i.test(line))
      ? []
      : [`X-Forwarded-For: ${hostile.fixtures.address()}`]),
    ...(body === '' || type ? [] : ['Content-Type: application/json']),
    ...(length ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...lines,
  ]
  return sendBytes(port, requestBytes({ method: operation.method, target, headers, body }))
}

const bearer = async (caller: Account | undefined) => {
  const token = await hostile.token(caller)
  return token === undefined ? [] : [`Authorization: Bearer ${token}`]
}

/** Before a request reaches us, Bun ends a connection that makes no sense, or answers it with a bare status. */
const isOfBun = ({ status, text }: Answer) => status === 0 || ([400, 413, 417, 431].includes(status) && text === '')

/** What is kept, or decides who is throttled, and so matters to the operations that hash passwords. */
const KEPT = /^(user agent|forwarded|request id)/
const setsFor = (operation: Documented, caller: Account | undefined) =>
  headerSets(operation).filter(
    ({ name, replacesToken }, index) =>
      (!caseOf(operation).costly || KEPT.test(name)) &&
      // A token that is none is nobody's; the others matter most to who gets furthest.
      (replacesToken ? caller === undefined : caller?.standing === 'administrator' || index % 4 === 0),
  )

describe('headers', () => {
  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await hostile.callers(operation)
    const [, administrator] = callers
    if (!administrator) throw new Error('nobody may do this')
    const requests = callers.flatMap((caller) => setsFor(operation, caller).map((set) => ({ caller, ...set })))
    // A command may use up its record or end the session; reads share theirs.
    const fresh = operation.contract.audit !== undefined
    const input = await ownInput(operation, hostile.fixtures, administrator)
    const tokens = new Map(await Promise.all(callers.map(async (caller) => [caller, await bearer(caller)] as const)))
    const faults = await hostile.all(requests, async ({ caller, name, lines, replacesToken, alsoAllowed }) => {
      const own = fresh ? await ownInput(operation, hostile.fixtures, administrator) : input
      const target = targetOf(operation, own)
      const token = replacesToken ? [] : fresh ? await bearer(caller) : (tokens.get(caller) ?? [])
      const answer = await send(operation, own, [...token, ...lines], target)
      const told = `${caller?.name ?? 'anonymous'}, ${name}`
      if (alsoAllowed.includes(0) && isOfBun(answer)) return []
      return findViolations(operation, { method: operation.method, target }, answer, alsoAllowed).map(
        (f) => `${told}: ${f}`,
      )
    })
    expect(faults).toEqual([])
    expect(hostile.log.alarms()).toEqual([])
  })
})

describe('the target and the host', () => {
  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const [, administrator] = await hostile.callers(operation)
    if (!administrator) throw new Error('nobody may do this')
    for (const { name, host, moved } of TARGETS) {
      const input = await ownInput(operation, hostile.fixtures, administrator)
      const lines = [...(await bearer(administrator)), ...host]
      const { status } = await send(operation, input, lines, moved(targetOf(operation, input)))
      const expected = [operation.success, 404, operation.family === 'v1' ? 400 : 422]
      expect([name, expected]).toEqual([name, expect.arrayContaining([status])])
    }
  })

  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))(
    '%s is not behind another path',
    async (_, operation) => {
      const [, administrator] = await hostile.callers(operation)
      if (!administrator) throw new Error('nobody may do this')
      const input = await ownInput(operation, hostile.fixtures, administrator)
      const lines = [...(await bearer(administrator)), 'Host: x']
      const answer = await send(operation, input, lines, `/zzz${targetOf(operation, input)}`)
      expect(answer.status).toBe(404)
    },
  )
})

/** The same operation, named in ways that only proxies and attackers use; none of them is another operation. */
const TARGETS = [
  { name: 'Host: x', host: ['Host: x'], moved: (target: string) => target },
  { name: 'empty host', host: ['Host:'], moved: (target: string) => target },
  { name: 'host with a path', host: ['Host: x/v1/parts'], moved: (target: string) => target },
  { name: 'host with a user', host: ['Host: a:b@localhost'], moved: (target: string) => target },
  { name: 'absolute form', host: [], moved: (target: string) => `http://other.example${target}` },
  { name: 'absolute form with a user', host: [], moved: (target: string) => `http://a:b@other.example:1${target}` },
]

test('the process lives on', async () => {
  expect((await fetch(`${hostile.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
