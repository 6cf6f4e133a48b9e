import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { harness } from '../../testing/fuzz/harness.ts'
import { wrongQueries } from '../../testing/fuzz/targets.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { ownInput } from '../../testing/operations/cases.ts'
import { DOCUMENTED } from '../../testing/operations/document.ts'

/** Every parameter of every operation gets every text, number and encoding that has broken somebody. */
setDefaultTimeout(60_000)
const hostile = await harness()
const operations = DOCUMENTED.filter(({ method, query }) => method === 'GET' || query.length > 0)

describe('queries', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await hostile.callers(operation)
    const [, administrator] = callers
    if (!administrator) throw new Error('nobody may do this')
    const input = await ownInput(operation, hostile.fixtures, administrator)
    const targets = wrongQueries(operation, input)
    const sent =
      input.body === undefined
        ? {}
        : { body: JSON.stringify(input.body), headers: { 'content-type': 'application/json' } }
    const requests = callers.flatMap((caller) => targets.map((target) => ({ caller, ...target })))
    const faults = await hostile.all(requests, async ({ caller, name, target }) => {
      const request = { name, method: operation.method, target, ...sent }
      const answer = await hostile.send(request, caller)
      return findViolations(operation, request, answer).map(
        (fault) => `${caller?.name ?? 'anonymous'}, ${name}: ${fault}`,
      )
    })
    expect(faults).toEqual([])
    expect(hostile.log.alarms()).toEqual([])
  })
})

test('the process lives on', async () => {
  expect((await fetch(`${hostile.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
