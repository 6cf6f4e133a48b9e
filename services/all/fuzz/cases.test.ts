import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { FIXTURE_SETTINGS, Fixtures } from '../../testing/fixtures.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { caseOf, ownInput, referenceAt, unknownCases } from '../../testing/operations/cases.ts'
import {
  DOCUMENTED,
  type Documented,
  resolved,
  responseSchemaOf,
  type Schema,
} from '../../testing/operations/document.ts'
import { identifiersOf } from '../../testing/operations/inputs.ts'

/** The suites over all operations are worth as much as the requests they start from: each of these must succeed. */
setDefaultTimeout(30_000)
const fixtures = new Fixtures(await testMarketplace(FIXTURE_SETTINGS))
const each = DOCUMENTED.map((operation) => [operation.id, operation] as const)

/** Answers whose content is not ours to list field by field. */
const OPEN_ANSWERS = ['getOpenApi', 'getJwks']

describe('the table of cases', () => {
  test.each(each)('%s has a request that succeeds', async (_, operation) => {
    const account = await fixtures.account(caseOf(operation).by ?? 'owner', 'administrator')
    const answer = await fixtures.send(account, operation, await ownInput(operation, fixtures, account))
    expect([operation.id, answer.status, answer.text]).toEqual([operation.id, operation.success, answer.text])
    expect(operation.bodyViolations(answer.body)).toEqual([])
  })

  test.each(each)('%s says what its identifiers name', (_, operation) => {
    const unknown = identifiersOf(operation).filter((place) => referenceAt(operation, place) === undefined)
    expect(unknown).toEqual([])
  })

  test('has no entry for an operation that does not exist', () => {
    expect(unknownCases(new Set(DOCUMENTED.map(({ id }) => id)))).toEqual([])
  })
})

describe('answers', () => {
  test.each(each)('%s shows what its schema lists, and nothing else', (_, operation) => {
    const schema = responseSchemaOf(operation)
    const open = schema === undefined || OPEN_ANSWERS.includes(operation.id) ? [] : openObjects(schema, operation.id)
    expect(open).toEqual([])
  })
})

/** Objects that would let a field through that nobody decided to show. */
function openObjects(schema: Schema, at: string): string[] {
  const known = resolved(schema)
  const children = Object.entries(known.properties ?? {}).flatMap(([name, property]) =>
    openObjects(property, `${at}.${name}`),
  )
  const items = known.items ? openObjects(known.items, `${at}[]`) : []
  const isOpen = known.properties !== undefined && known.additionalProperties !== false
  return [...(isOpen ? [at] : []), ...children, ...items]
}

test('no operation is missing from the walk', () => {
  const walked = new Set(DOCUMENTED.map(({ contract }: Documented) => contract.id))
  expect(walked.size).toBeGreaterThan(30)
})
