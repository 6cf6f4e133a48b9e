import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Account, ALL_KINDS, type Kind } from '../../testing/fixtures.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { exampleInput, type Input, withValue } from '../../testing/operations/inputs.ts'
import { ownInput, type Probe, probesOf, sampleOf, statusFor, statusInView } from '../../testing/operations/samples.ts'
import { type RecordName, recordKind } from '../../testing/records.ts'
import { harness, type Observation } from '../../testing/tenancy/harness.ts'

/**
 * Every operation, for every kind of account, with an own record, a foreign one, an unknown one and a malformed id. A
 * foreign record must be indistinguishable from an unknown one: the same bytes, headers, statements and log lines.
 */
setDefaultTimeout(60_000)
const tenancy = await harness()
const { fixtures } = tenancy
const accounts = await fixtures.accounts()

const guarded = DOCUMENTED.filter(({ contract }) => contract.access !== 'public')
const probed = guarded
  .flatMap((operation) => probesOf(operation).map((probe) => ({ operation, probe })))
  .map(({ operation, probe }, index) => {
    const name = `${operation.id} ${probe.place} ${probe.record}`
    return [name, operation, probe, sendersOf(index)] as const
  })

/**
 * The senders of a foreign record: the administrator of each kind of organization, and a third of the other accounts,
 * of the next record another third. Most of the others are refused by the permission check, which all operations share.
 */
function sendersOf(index: number): Account[] {
  return accounts.filter(
    ({ kind, standing }) => standing === 'administrator' || (ALL_KINDS.indexOf(kind) + index) % 3 === 0,
  )
}

/** Records that belong to a user, or to a colleague of a user. */
const PERSONAL_RECORDS: readonly RecordName[] = [
  'user',
  'colleague',
  'session',
  'colleagueSession',
  'passkey',
  'colleaguePasskey',
  'accessToken',
  'refreshToken',
  'grant',
]

/** An organization keeps only a few of these records: a new one deletes an older one. */
const REPLACED_RECORDS: readonly RecordName[] = ['identityProvider']

const before = await prepare()

/**
 * Creates all records and connections first, so that the compared requests change nothing. The accounts of an
 * organization therefore share its records.
 */
async function prepare() {
  const bases = new Map<string, Input>()
  for (const [name, operation, probe, senders] of probed) {
    const shared = new Map<Kind, Input>()
    for (const account of senders) {
      const known = isPersonal(operation) ? undefined : shared.get(account.kind)
      const base = known ?? (await ownInput(operation, fixtures, account, probe.place))
      shared.set(account.kind, base)
      bases.set(`${name} ${account.name}`, base)
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

/** By probe and account. */
const answersToUnknown = new Map<string, Observation>()

describe('a foreign record has the same response and effects as an unknown one', () => {
  test.each(probed)('%s', async (name, operation, probe, senders) => {
    const failures: string[] = []
    for (const account of senders) {
      const foreign = inputFor(name, account, probe, await tenancy.foreign(probe, account))
      const random = () => inputFor(name, account, probe, recordKind(probe.record).random())
      const { differences, second } = await tenancy.compare(account, operation, () => [foreign, random()])
      failures.push(...differences)
      if (second) answersToUnknown.set(`${name} ${account.name}`, second)
    }
    expect(failures).toEqual([])
  })
})

/** Malformed ids: 404 in a path; 400 or 422 is also allowed in a parameter or field. */
const MALFORMED = ['x'.repeat(65), 'a b', "' or 1=1--", '\u{1f4a9}', '%', '../parts', 'PART_', '-']

/** The administrator of the first kind that can have the record sends all malformed ids, and each other account one. */
function malformedFor({ record }: Probe, { kind, standing }: Account, index: number): string[] {
  if (kind === recordKind(record).owners[0] && standing === 'administrator') return MALFORMED
  return [MALFORMED[index % MALFORMED.length] ?? '']
}

describe('a malformed id is refused', () => {
  test.each(probed)('%s', async (name, operation, probe, senders) => {
    const failures: string[] = []
    for (const [index, account] of senders.entries()) {
      const random = inputFor(name, account, probe, recordKind(probe.record).random())
      const unknown =
        answersToUnknown.get(`${name} ${account.name}`) ?? (await tenancy.observe(account, operation, random))
      for (const malformed of malformedFor(probe, account, index)) {
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
    // A refused request and a read leave the records to the next account of the organization.
    const unchanged = new Map<Kind, Input>()
    for (const account of owners.toReversed()) {
      const known = unchanged.get(account.kind)
      const input = known ?? (await ownRecord(operation, probe, account))
      const { status, text } = await fixtures.send(account, operation, input)
      const isUnchanged = (operation.method === 'GET' || status >= 400) && !isPersonal(operation)
      if (isUnchanged) unchanged.set(account.kind, input)
      else unchanged.delete(account.kind)
      if (status !== probe.own(account)) failures.push(`${account.name}: ${status} ${text}`)
      failures.push(...tenancy.leaksIn(text, account, input))
    }
    expect(failures).toEqual([])
  })
})

async function ownRecord(operation: Documented, probe: Probe, account: Account): Promise<Input> {
  const base = await ownInput(operation, fixtures, account, probe.place)
  // A read leaves its record to the other reads, because each record takes up to twenty commands.
  const isShared = operation.method === 'GET' && !isPersonal(operation) && !REPLACED_RECORDS.includes(probe.record)
  const record = isShared ? tenancy.readable(probe.record, account.kind) : tenancy.own(probe, account)
  return withValue(base, probe.place, await record)
}

/** Whether the request has values of one account, so that another account of its organization needs others. */
function isPersonal(operation: Documented): boolean {
  const hasRecord = probesOf(operation).some(({ record }) => PERSONAL_RECORDS.includes(record))
  return hasRecord || sampleOf(operation).values !== undefined
}

/** A list in each view, with the maximum page size. */
function viewsOf(operation: Documented): Input[] {
  const views = operation.query.find(({ name }) => name === 'view')?.schema.enum ?? []
  return views.map((view) => ({ ...exampleInput(operation), query: { view, pageSize: '50' } }))
}
