import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { brokenBodies, type HostileBody, hostileForms, wrongFields } from '../../testing/fuzz/bodies.ts'
import { harness, sentBy } from '../../testing/fuzz/harness.ts'
import { shareOf } from '../../testing/fuzz/shares.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { DOCUMENTED } from '../../testing/operations/document.ts'
import { exampleInput, targetOf } from '../../testing/operations/inputs.ts'
import { ownInput, sampleOf } from '../../testing/operations/samples.ts'

/**
 * Every operation with a body receives hostile values in each field and bodies that no operation accepts, from three
 * kinds of caller. The first operation of each kind of record receives every text, that of each kind of request all.
 */
setDefaultTimeout(60_000)
const fuzz = await harness()
const operations = DOCUMENTED.filter(({ body }) => body !== undefined)

describe('bodies', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await fuzz.callers(operation)
    const [, administrator] = callers
    const input = await ownInput(operation, fuzz.fixtures, administrator)
    const bodies = [
      ...shareOf(operation, brokenBodies(input.body), 12),
      ...wrongFields(operation, input, sampleOf(operation)),
      ...hostileForms(operation, input, sampleOf(operation)),
    ]
    const requests = callers.flatMap((caller) => sentBy(caller, operation, bodies).map((body) => ({ caller, body })))
    const violations = await fuzz.collect(requests, async ({ caller, body }) => {
      const request = requestOf(operation.method, targetOf(operation, input), body)
      const answer = await fuzz.send(request, caller)
      return findViolations(operation, request, answer).map(
        (violation) => `${caller?.name ?? 'anonymous'}, ${body.name}: ${violation}`,
      )
    })
    expect(violations).toEqual([])
    expect(fuzz.log.errors()).toEqual([])
  })
})

test('lists return valid responses after the hostile requests', async () => {
  const administrator = await fuzz.fixtures.account('owner', 'administrator')
  const lists = DOCUMENTED.filter(({ method, params }) => method === 'GET' && params.length === 0)
  const targets = lists.flatMap((operation) => {
    const target = targetOf(operation, exampleInput(operation))
    const views = operation.query.find(({ name }) => name === 'view')?.schema.enum ?? []
    return [
      target,
      ...views.flatMap((view) => [1, 2, 3].map((page) => `${target}?view=${view}&pageSize=50&page=${page}`)),
    ].map((each) => ({ operation, request: { name: each, method: 'GET', target: each } }))
  })
  const violations = await fuzz.collect(targets, async ({ operation, request }) =>
    findViolations(operation, request, await fuzz.send(request, administrator)).map(
      (violation) => `${request.target}: ${violation}`,
    ),
  )
  expect(violations).toEqual([])
})

test('the process still responds', async () => {
  expect((await fetch(`${fuzz.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})

function requestOf(method: string, target: string, { name, body, contentType = 'application/json' }: HostileBody) {
  return { name, method, target, body, headers: contentType === '' ? {} : { 'content-type': contentType } }
}
