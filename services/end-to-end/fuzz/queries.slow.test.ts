import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { encoded } from '../../testing/client.ts'
import { harness, sentBy } from '../../testing/fuzz/harness.ts'
import { shareOf } from '../../testing/fuzz/shares.ts'
import { farPages, UNKNOWN_PARAMETERS, wrongQueries } from '../../testing/fuzz/targets.ts'
import { findViolations } from '../../testing/fuzz/violations.ts'
import { DOCUMENTED } from '../../testing/operations/document.ts'
import { targetOf } from '../../testing/operations/inputs.ts'
import { ownInput, sharedInput } from '../../testing/operations/samples.ts'

/** Parameters receive hostile texts, numbers and encodings, and every list its last pages. */
setDefaultTimeout(60_000)
const fuzz = await harness()
const operations = DOCUMENTED.filter(({ method, query }) => method === 'GET' || query.length > 0)

describe('queries', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await fuzz.callers(operation)
    const [, administrator] = callers
    const input = await (operation.method === 'GET' ? sharedInput : ownInput)(operation, fuzz.fixtures, administrator)
    const targets = wrongQueries(operation, input)
    const sent =
      input.body === undefined
        ? {}
        : { body: JSON.stringify(input.body), headers: { 'content-type': 'application/json' } }
    const requests = callers.flatMap((caller) =>
      sentBy(caller, operation, targets).map((target) => ({ caller, ...target })),
    )
    const violations = await fuzz.collect(requests, async ({ caller, name, target }) => {
      const request = { name, method: operation.method, target, ...sent }
      const answer = await fuzz.send(request, caller)
      return findViolations(operation, request, answer).map(
        (violation) => `${caller?.name ?? 'anonymous'}, ${name}: ${violation}`,
      )
    })
    expect(violations).toEqual([])
    expect(fuzz.log.errors()).toEqual([])
  })
})

describe('parameters that the operation does not declare', () => {
  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const callers = await fuzz.callers(operation)
    const [, administrator] = callers
    const input = await sharedInput(operation, fuzz.fixtures, administrator)
    const base = targetOf(operation, input)
    const type = input.headers['content-type'] ?? 'application/json'
    const sent = input.body === undefined ? {} : { body: encoded(input.body, type), headers: { 'content-type': type } }
    const invalid = operation.errorFormat === 'v2.3' ? 422 : 400
    const requests = callers.flatMap((caller) =>
      sentBy(caller, operation, shareOf(operation, UNKNOWN_PARAMETERS, 7)).map((search) => ({ caller, search })),
    )
    const violations = await fuzz.collect(requests, async ({ caller, search }) => {
      const target = `${base}${base.includes('?') ? '&' : '?'}${search}`
      const request = { name: search, method: operation.method, target, ...sent }
      const answer = await fuzz.send(request, caller)
      const expected = new Set([caller || operation.contract.access === 'public' ? invalid : 401])
      return findViolations({ ...operation, statuses: expected }, request, answer).map(
        (violation) => `${caller?.name ?? 'anonymous'}, ${search.slice(0, 50)}: ${violation}`,
      )
    })
    expect(violations).toEqual([])
    expect(fuzz.log.errors()).toEqual([])
  })
})

describe('pages past the end', () => {
  const lists = operations.filter(({ query }) => query.some(({ name }) => name === 'pageSize'))

  test('exist for every paged list', () => expect(lists.length).toBeGreaterThan(7))

  test.each(lists.map((operation) => [operation.id, operation] as const))('%s: no items', async (_, operation) => {
    const [, administrator] = await fuzz.callers(operation)
    const input = await sharedInput(operation, fuzz.fixtures, administrator)
    const wrong: string[] = []
    // One request at a time, because an organization may read few far pages at once.
    for (const { name, target } of farPages(operation, input)) {
      const { status, text } = await fuzz.send({ name, method: 'GET', target }, administrator)
      // The part of this filter does not exist, which only the list of factories answers with 404.
      const isUnknownPart = operation.id === 'listFactories' && target.includes('partId=') && status === 404
      const isEmpty = status === 200 && text === '{"items":[],"hasMore":false}'
      if (!isEmpty && !isUnknownPart) wrong.push(`${name}: ${status} ${text}`)
    }
    expect(wrong).toEqual([])
  })
})

test('the process still responds', async () => {
  expect((await fetch(`${fuzz.fixtures.market.url}/.well-known/jwks.json`)).status).toBe(200)
})
