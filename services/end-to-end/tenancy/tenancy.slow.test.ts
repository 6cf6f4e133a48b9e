import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Account, STANDINGS } from '../../testing/fixtures.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { exampleInput, type Input, withValue } from '../../testing/operations/inputs.ts'
import { ownInput, type Probe, probesOf, sampleOf, statusFor, statusInView } from '../../testing/operations/samples.ts'
import { recordKind } from '../../testing/records.ts'
import { harness } from '../../testing/tenancy/harness.ts'

/**
 * Every operation, for every kind of account, with an own record, a foreign one, an unknown one and a malformed id. A
 * foreign record must be indistinguishable from an unknown one: the same bytes, headers, statements and log lines.
 */
setDefaultTimeout(60_000)
const tenancy = await harness()
const { fixtures } = tenancy
const accounts = await fixtures.accounts()

const guarded = DOCUMENTED.filter(({ contract }) => contract.access !== 'public')
const probed = guarded.flatMap((operation) =>
  probesOf(operation).map((probe) => [`${operation.id} ${probe.place} ${probe.record}`, operation, probe] as const),
)

const before = await prepare()

/** Creates all records and connections first, so that the compared requests change nothing. */
async function prepare() {
  const bases = new Map<string, Input>()
  for (const [name, operation, probe] of probed) {
    for (const account of accounts) {
      bases.set(`${name} ${account.name}`, await ownInput(operation, fixtures, account, probe.place))
      await tenancy.foreign(probe, account)
    }
  }
  return { bases, contents: await tenancy.contents() }
}

function inputFor(name: string, account: Account, { place }: Probe, value: unknown): Input {
  const base = before.bases.get(`${name} ${account.name}`)
  if (!base) throw new Error(`${name}: no input for ${account.name}`)
  return withValue(base, place, value)
}

describe('a foreign record has the same response and effects as an unknown one', () => {
  test.each(probed)('%s', async (name, operation, probe) => {
    const failures: string[] = []
    for (const account of accounts) {
      const foreign = inputFor(name, account, probe, await tenancy.foreign(probe, account))
      const random = () => inputFor(name, account, probe, recordKind(probe.record).random())
      failures.push(...(await tenancy.compare(account, operation, () => [foreign, random()])))
    }
    expect(failures).toEqual([])
  })
})

/** Malformed ids: 404 in a path; 400 or 422 is also allowed in a parameter or field. */
const MALFORMED = ['x'.repeat(65), 'a b', "' or 1=1--", '\u{1f4a9}', '%', '../parts', 'PART_', '-']

describe('a malformed id is refused', () => {
  test.each(probed)('%s', async (name, operation, probe) => {
    const failures: string[] = []
    for (const [index, account] of accounts.entries()) {
      const random = inputFor(name, account, probe, recordKind(probe.record).random())
      const unknown = await tenancy.observe(account, operation, random)
      // The accounts of one kind share the malformed ids.
      for (const malformed of MALFORMED.filter((_, at) => at % STANDINGS.length === index % STANDINGS.length)) {
        const input = inputFor(name, account, probe, malformed)
        const found = await tenancy.observe(account, operation, input)
        const invalid = !probe.place.startsWith('path.') && [400, 422].includes(found.status)
        const same = found.status === unknown.status && found.text === unknown.text
        if (!invalid && !same) failures.push(`${account.name}, ${malformed}: ${found.status} ${found.text}`)
      }
    }
    expect(failures).toEqual([])
  })
})

test('requests for foreign and malformed ids change no data', async () => {
  expect(await tenancy.contents()).toEqual(before.contents)
})

describe('an operation without private records succeeds with the permission and shows no foreign data', () => {
  const plain = guarded.filter((operation) => probesOf(operation).every(({ place }) => place.startsWith('query.')))

  test.each(plain.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const failures: string[] = []
    for (const account of sampleOf(operation).costly ? accounts.slice(0, 3) : accounts) {
      for (const input of [await ownInput(operation, fixtures, account), ...viewsOf(operation)]) {
        const { status, text } = await fixtures.send(account, operation, input)
        const { view } = input.query
        const expected = view === undefined ? statusFor(operation, account) : statusInView(operation, account, view)
        if (status !== expected) failures.push(`${account.name}: ${status} ${text}`)
        failures.push(...tenancy.leaksIn(text, account, input).map((value) => `${account.name} sees ${value}`))
      }
    }
    expect(failures).toEqual([])
  })
})

// Last, because these requests change records.
describe('an own record is accessible with the permission', () => {
  test.each(probed)('%s', async (_, operation, probe) => {
    const owners = accounts.filter(({ kind }) => recordKind(probe.record).owners.includes(kind))
    const failures: string[] = []
    for (const account of owners) {
      const base = await ownInput(operation, fixtures, account, probe.place)
      const input = withValue(base, probe.place, await tenancy.own(probe, account))
      const { status, text } = await fixtures.send(account, operation, input)
      if (status !== probe.own(account)) failures.push(`${account.name}: ${status} ${text}`)
      failures.push(...tenancy.leaksIn(text, account, input))
    }
    expect(failures).toEqual([])
  })
})

/** A list in each view, with the maximum page size. */
function viewsOf(operation: Documented): Input[] {
  const views = operation.query.find(({ name }) => name === 'view')?.schema.enum ?? []
  return views.map((view) => ({ ...exampleInput(operation), query: { view, pageSize: '50' } }))
}
