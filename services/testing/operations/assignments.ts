import { newId } from '../../kit/db/ids.ts'
import type { SubrecordKind } from '../../sourcing/subrecords/queries.ts'
import { assignmentOf } from '../assignments.ts'
import type { Account, Fixtures, Kind } from '../fixtures.ts'
import { insertSubrecords } from '../subrecords.ts'
import { boughtOrder, madeOrder } from './orders.ts'

const boughtAssignment = async (fixtures: Fixtures, account: Account): Promise<string> =>
  assignmentOf(fixtures.market.db.owner, await boughtOrder(fixtures, account, 'PLACED'))

const madeAssignment = async (fixtures: Fixtures, account: Account): Promise<string> =>
  assignmentOf(fixtures.market.db.owner, await madeOrder(fixtures, account, 'PLACED'))

/** Ends the order of an assignment, as its assignment shows it. */
export async function finish({ market }: Fixtures, id: string, archived: boolean): Promise<string> {
  await market.db.owner`
    update sourcing.assignments set status = 'DECLINED', archived = ${archived} where id = ${id}`
  return id
}

const subrecordOf = async (fixtures: Fixtures, { orgId }: Account, parentId: string, kind: SubrecordKind) =>
  (await insertSubrecords(fixtures.market.db.owner, { kind, parentId, orgId }))[0] as string

export async function contactOf(fixtures: Fixtures, account: Account) {
  const id = await boughtAssignment(fixtures, account)
  return { 'path.id': id, 'path.contactId': await subrecordOf(fixtures, account, id, 'contact') }
}

export async function billingDetailsOf(fixtures: Fixtures, account: Account) {
  const id = await boughtAssignment(fixtures, account)
  return { 'path.id': id, 'path.billingDetailsId': await subrecordOf(fixtures, account, id, 'billing') }
}

export async function extensionOf(fixtures: Fixtures, account: Account) {
  const id = await boughtAssignment(fixtures, account)
  return { 'path.id': id, 'path.extensionId': await subrecordOf(fixtures, account, id, 'extension') }
}

const CONSUMERS = ['owner', 'otherOwner', 'consumer'] as const satisfies Kind[]
const MANUFACTURERS = ['manufacturer', 'otherOwner'] as const satisfies Kind[]
const randomAssignment = () => newId('assignment')

/** Assignments of the account's organization, with an extension, a contact or billing details. */
export const ASSIGNMENT_RECORDS = {
  boughtAssignment: { owners: CONSUMERS, make: boughtAssignment, random: randomAssignment },
  madeAssignment: { owners: MANUFACTURERS, make: madeAssignment, random: randomAssignment },
  finishedAssignment: {
    owners: CONSUMERS,
    make: async (fixtures: Fixtures, account: Account) =>
      finish(fixtures, await boughtAssignment(fixtures, account), false),
    random: randomAssignment,
  },
  archivedAssignment: {
    owners: CONSUMERS,
    make: async (fixtures: Fixtures, account: Account) =>
      finish(fixtures, await boughtAssignment(fixtures, account), true),
    random: randomAssignment,
  },
  assignmentExtension: {
    owners: CONSUMERS,
    make: async (fixtures: Fixtures, account: Account) => (await extensionOf(fixtures, account))['path.extensionId'],
    random: () => newId('extension'),
  },
  assignmentContact: {
    owners: CONSUMERS,
    make: async (fixtures: Fixtures, account: Account) => (await contactOf(fixtures, account))['path.contactId'],
    random: () => newId('contact'),
  },
  billingDetails: {
    owners: CONSUMERS,
    make: async (fixtures: Fixtures, account: Account) =>
      (await billingDetailsOf(fixtures, account))['path.billingDetailsId'],
    random: () => newId('billing'),
  },
}
