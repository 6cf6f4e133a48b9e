import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Account, STANDINGS } from '../../testing/fixtures.ts'
import { caseOf, ownInput, type Probe, probesOf, statusFor } from '../../testing/operations/cases.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { exampleInput, type Input, withValue } from '../../testing/operations/inputs.ts'
import { recordKind } from '../../testing/records.ts'
import { harness } from '../../testing/tenancy/harness.ts'

/**
 * Every operation, for every kind of account, with a record of its own, of somebody else, of nobody, and with what is no
 * id at all. A record of somebody else must be nobody's: the same bytes, headers, statements and log lines.
 */
setDefaultTimeout(60_000)
const trial = await harness()
const { fixtures } = trial
const accounts = await fixtures.accounts()

const guarded = DOCUMENTED.filter(({ contract }) => contract.access !== 'public')
const probed = guarded.flatMap((operation) =>
  probesOf(operation).map((probe) => [`${operation.id} ${probe.place} ${probe.record}`, operation, probe] as const),
)

/** The same request for everybody: records of the account's own wherever another one is not being probed. */
const baseOf = (operation: Documented, account: Account): Promise<Input> => ownInput(operation, fixtures, account)

const before = await prepared()

/** Makes every record and every connection first, so that what comes after changes nothing. */
async function prepared() {
  const bases = new Map<string, Input>()
  for (const [name, operation, probe] of probed) {
    for (const account of accounts) {
      bases.set(`${name} ${account.name}`, await baseOf(operation, account))
      await trial.foreign(probe, account)
    }
  }
  return { bases, contents: await trial.contents() }
}

function inputFor(name: string, account: Account, { place }: Probe, value: unknown): Input {
  const base = before.bases.get(`${name} ${account.name}`)
  if (!base) throw new Error(`${name}: nothing was prepared for ${account.name}`)
  return withValue(base, place, value)
}

describe('a foreign record is answered as one that does not exist', () => {
  test.each(probed)('%s', async (name, operation, probe) => {
    const told: string[] = []
    for (const account of accounts) {
      const foreign = inputFor(name, account, probe, await trial.foreign(probe, account))
      const random = () => inputFor(name, account, probe, recordKind(probe.record).random())
      told.push(...(await trial.compare(account, operation, () => [foreign, random()])))
    }
    expect(told).toEqual([])
  })
})

/** What no id can look like; a parameter or field may say so, a path says that there is nothing. */
const MALFORMED = ['x'.repeat(65), 'a b', "' or 1=1--", '\u{1f4a9}', '%', '../parts', 'PART_', '-']

describe('a malformed id names nothing', () => {
  test.each(probed)('%s', async (name, operation, probe) => {
    const told: string[] = []
    for (const [index, account] of accounts.entries()) {
      const random = inputFor(name, account, probe, recordKind(probe.record).random())
      const unknown = await trial.weigh(account, operation, random)
      // Each account tries some; among those of one kind all are tried.
      for (const malformed of MALFORMED.filter((_, at) => at % STANDINGS.length === index % STANDINGS.length)) {
        const input = inputFor(name, account, probe, malformed)
        const found = await trial.weigh(account, operation, input)
        const invalid = !probe.place.startsWith('path.') && [400, 422].includes(found.status)
        const same = found.status === unknown.status && found.text === unknown.text
        if (!invalid && !same) told.push(`${account.name}, ${malformed}: ${found.status} ${found.text}`)
      }
    }
    expect(told).toEqual([])
  })
})

test('asking for what is not theirs has changed nothing', async () => {
  expect(await trial.contents()).toEqual(before.contents)
})

describe('what names no private record is for everybody with the permission', () => {
  const plain = guarded.filter((operation) => probesOf(operation).every(({ place }) => place.startsWith('query.')))

  test.each(plain.map((operation) => [operation.id, operation] as const))('%s', async (_, operation) => {
    const told: string[] = []
    for (const account of caseOf(operation).costly ? accounts.slice(0, 3) : accounts) {
      for (const input of [await baseOf(operation, account), ...viewsOf(operation)]) {
        const { status, text } = await fixtures.send(account, operation, input)
        if (status !== statusFor(operation, account)) told.push(`${account.name}: ${status} ${text}`)
        told.push(...trial.leaksIn(text, account, input).map((value) => `${account.name} sees ${value}`))
      }
    }
    expect(told).toEqual([])
  })
})

// Last, for it publishes, ends and revokes.
describe('an own record is reached by who may', () => {
  test.each(probed)('%s', async (_, operation, probe) => {
    const owners = accounts.filter(({ kind }) => recordKind(probe.record).owners.includes(kind))
    const told: string[] = []
    for (const account of owners) {
      const input = withValue(await baseOf(operation, account), probe.place, await trial.own(probe, account))
      const { status, text } = await fixtures.send(account, operation, input)
      if (status !== probe.own(account)) told.push(`${account.name}: ${status} ${text}`)
      told.push(...trial.leaksIn(text, account, input))
    }
    expect(told).toEqual([])
  })
})

/** A list as seen in each role, with as many items as a page holds. */
function viewsOf(operation: Documented): Input[] {
  const views = operation.query.find(({ name }) => name === 'view')?.schema.enum ?? []
  return views.map((view) => ({ ...exampleInput(operation), query: { view, pageSize: '50' } }))
}
