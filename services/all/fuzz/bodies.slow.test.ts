import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Account } from '../../testing/fixtures.ts'
import { brokenBodies, type HostileBody, wrongFields } from '../../testing/fuzz/bodies.ts'
import { harness } from '../../testing/fuzz/harness.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { caseOf, ownInput } from '../../testing/operations/cases.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { exampleInput, targetOf } from '../../testing/operations/inputs.ts'

/** Every operation that takes a body gets every body that has broken somebody, from three kinds of caller. */
setDefaultTimeout(60_000)
const hostile = await harness()
const operations = DOCUMENTED.filter(({ body }) => body !== undefined)

/** Who is refused, or answered, before the body is looked at gets some of the bodies: all would be one test. */
function selected(bodies: readonly HostileBody[], { contract }: Documented, caller: Account | undefined) {
  const isLookedAt = contract.access === 'public' ? caller === undefined : caller !== undefined
  return isLookedAt ? bodies : bodies.filter((_, index) => index % 10 === 0)
}

describe('bodies', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await hostile.callers(operation)
    const [, administrator] = callers
    if (!administrator) throw new Error('nobody may do this')
    const input = await ownInput(operation, hostile.fixtures, administrator)
    const bodies = [...brokenBodies(input.body), ...wrongFields(operation, input, caseOf(operation))]
    const requests = callers.flatMap((caller) => selected(bodies, operation, caller).map((body) => ({ caller, body })))
    const faults = await hostile.all(requests, async ({ caller, body }) => {
      const request = requestOf(operation.method, targetOf(operation, input), body)
      const answer = await hostile.send(request, caller)
      return findViolations(operation, request, answer).map(
        (fault) => `${caller?.name ?? 'anonymous'}, ${body.name}: ${fault}`,
      )
    })
    expect(faults).toEqual([])
    expect(hostile.log.alarms()).toEqual([])
  })
})

test('what they left behind is read as the document says', async () => {
  const administrator = await hostile.fixtures.account('owner', 'administrator')
  const lists = DOCUMENTED.filter(({ method, params }) => method === 'GET' && params.length === 0)
  const targets = lists.flatMap((operation) => {
    const target = targetOf(operation, exampleInput(operation))
    const views = operation.query.find(({ name }) => name === 'view')?.schema.enum ?? []
    return [
      target,
      ...views.flatMap((view) => [1, 2, 3].map((page) => `${target}?view=${view}&pageSize=50&page=${page}`)),
    ].map((each) => ({ operation, request: { name: each, method: 'GET', target: each } }))
  })
  const faults = await hostile.all(targets, async ({ operation, request }) =>
    findViolations(operation, request, await hostile.send(request, administrator)).map(
      (fault) => `${request.target}: ${fault}`,
    ),
  )
  expect(faults).toEqual([])
})

test('the process lives on', async () => {
  expect((await fetch(`${hostile.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})

function requestOf(method: string, target: string, { name, body, contentType = 'application/json' }: HostileBody) {
  return { name, method, target, body, headers: contentType === '' ? {} : { 'content-type': contentType } }
}
