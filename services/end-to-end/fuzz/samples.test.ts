import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { FIXTURE_SETTINGS, Fixtures } from '../../testing/fixtures.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { identifiersOf } from '../../testing/operations/inputs.ts'
import { ownInput, referenceAt, sampleOf, unknownSamples } from '../../testing/operations/samples.ts'

/** The tests of all operations depend on these requests, so each of them must succeed. */
setDefaultTimeout(30_000)
const fixtures = new Fixtures(await testMarketplace(FIXTURE_SETTINGS))
const each = DOCUMENTED.map((operation) => [operation.id, operation] as const)

describe('the table of samples', () => {
  test.each(each)('%s has a request that succeeds', async (_, operation) => {
    const account = await fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator')
    const answer = await fixtures.send(account, operation, await ownInput(operation, fixtures, account))
    expect([operation.id, answer.status, answer.text]).toEqual([operation.id, operation.success, answer.text])
    expect(operation.bodyViolations(answer.body)).toEqual([])
  })

  test.each(each)('%s has an entry for each identifier', (_, operation) => {
    const unknown = identifiersOf(operation).filter((place) => referenceAt(operation, place) === undefined)
    expect(unknown).toEqual([])
  })

  test('has no entry for an unknown operation', () => {
    expect(unknownSamples(new Set(DOCUMENTED.map(({ id }) => id)))).toEqual([])
  })
})

test('the tests cover more than 30 operations', () => {
  const ids = new Set(DOCUMENTED.map(({ contract }: Documented) => contract.id))
  expect(ids.size).toBeGreaterThan(30)
})
