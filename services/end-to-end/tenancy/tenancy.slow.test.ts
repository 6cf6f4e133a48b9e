import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Account, ALL_KINDS, type Kind } from '../../testing/fixtures.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { exampleInput, type Input, withValue } from '../../testing/operations/inputs.ts'
import {
  ownInput,
  type Probe,
  probesOf,
  sampleOf,
  sharedInput,
  statusFor,
  statusInView,
} from '../../testing/operations/samples.ts'
import { PERSONAL_RECORDS } from '../../testing/operations/shared-records.ts'
import { recordKind } from '../../testing/records.ts'
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
 * The senders of a foreign record: the administrator of each kind of organization, and the other accounts of one kind,
 * of the next record those of the next kind. Most of the others are refused by the permission check, which all
 * operations share.
 */
function sendersOf(index: number): Account[] {
  return accounts.filter(
    ({ kind, standing }) => standing === 'administrator' || (ALL_KINDS.indexOf(kind) + index) % ALL_KINDS.length === 0,
  )
}

const before = await prepare()

/**
 * Creates all records and connections first, so that the compared requests change nothing. The accounts of an
 * organization therefore share its records, and so do the operations.
 */
async function prepare() {
  const bases = new Map<string, Input>()
  for (const [name, operation, probe, senders] of probed) {
    const shared = new Map<Kind, Input>()
    for (const account of senders) {
      const known = isPersonal(operation) ? undefined : shared.get(account.kind)
      const base = known ?? (await sharedInput(operation, fixtures, account, probe.place))
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

/**
 * The administrator of the first kind that can have the record sends half of the malformed ids, for the next record the
 * other half. Another sender, each time another one, sends one.
 */
function malformedFrom(senders: readonly Account[], { record }: Probe, index: number): [Account, string[]][] {
  const first = senders.find(
    ({ kind, standing }) => kind === recordKind(record).owners[0] && standing === 'administrator',
  ) as Account
  const other = senders.filter((account) => account !== first)[index % (senders.length - 1)] as Account
  return [
    [first, MALFORMED.filter((_, at) => (at + index) % 2 === 0)],
    [other, [MALFORMED[(index >> 1) % MALFORMED.length] as string]],
  ]
}

describe('a malformed id is refused', () => {
  test.each(probed)('%s', async (name, operation, probe, senders) => {
    const failures: string[] = []
    const index = probed.findIndex(([known]) => known === name)
    for (const [account, ids] of malformedFrom(senders, probe, index)) {
      const random = inputFor(name, account, probe, recordKind(probe.record).random())
      const unknown =
        answersToUnknown.get(`${name} ${account.name}`) ?? (await tenancy.observe(account, operation, random))
      for (const malformed of ids) {
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
  test.each(probed)('%s', async (name, operation, probe) => {
    const { owners: kinds } = recordKind(probe.record)
    // A success that changes a record needs another one, so one member has it, of the next record that of another kind.
    const index = probed.findIndex(([known]) => known === name)
    const kindOfMember = kinds[index % kinds.length]
    const failures: string[] = []
    for (const kind of kinds) {
      const ofKind = accounts.filter((account) => account.kind === kind)
      const administrator = await fixtures.account(kind, 'administrator')
      const input = await ownRecord(operation, probe, administrator)
      // A request without the permission leaves the record to the administrator.
      for (const account of ofKind.toReversed()) {
        const expected = probe.own(account)
        const isRefused = expected === 403
        const isLeft = account.standing === 'member' && operation.method !== 'GET' && kind !== kindOfMember
        if (isLeft && !isRefused) continue
        const isOfAll = operation.method === 'GET' ? !isPersonal(operation) : isRefused
        const sent = isOfAll || account === administrator ? input : await ownRecord(operation, probe, account)
        const { status, text } = await fixtures.send(account, operation, sent)
        if (status !== expected) failures.push(`${account.name}: ${status} ${text}`)
        failures.push(...tenancy.leaksIn(text, account, sent))
      }
    }
    expect(failures).toEqual([])
  })
})

async function ownRecord(operation: Documented, probe: Probe, account: Account): Promise<Input> {
  const isRead = operation.method === 'GET'
  const base = await (isRead ? sharedInput : ownInput)(operation, fixtures, account, probe.place)
  return withValue(base, probe.place, await (isRead ? tenancy.shared(probe, account) : tenancy.own(probe, account)))
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
