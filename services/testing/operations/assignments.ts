import { newId } from '../../kit/db/ids.ts'
import { assignmentOf } from '../assignments.ts'
import type { Account, Fixtures, Kind } from '../fixtures.ts'
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

export async function contactOf(fixtures: Fixtures, account: Account) {
  const [id, contactId] = [await boughtAssignment(fixtures, account), newId('contact')]
  await fixtures.market.db.owner`
    insert into sourcing.assignment_contacts (id, assignment_id, org_id, name, created_at, updated_at)
    values (${contactId}, ${id}, ${account.orgId}, 'Purchasing', now(), now())`
  return { 'path.id': id, 'path.contactId': contactId }
}

export async function billingDetailsOf(fixtures: Fixtures, account: Account) {
  const [id, billingDetailsId] = [await boughtAssignment(fixtures, account), newId('billing')]
  await fixtures.market.db.owner`
    insert into sourcing.billing_details
      (id, assignment_id, org_id, company_name, region_code, locality, lines, created_at, updated_at)
    values (${billingDetailsId}, ${id}, ${account.orgId}, 'Consumer', 'NO', 'Bergen', '{}', now(), now())`
  return { 'path.id': id, 'path.billingDetailsId': billingDetailsId }
}

export async function extensionOf(fixtures: Fixtures, account: Account) {
  const [id, extensionId] = [await boughtAssignment(fixtures, account), newId('extension')]
  await fixtures.market.db.owner`
    insert into sourcing.assignment_extensions
      (id, assignment_id, org_id, due_date, previous_due_date, reason, created_at)
    values (${extensionId}, ${id}, ${account.orgId}, '2031-06-24', '2031-05-29', 'Powder', now())`
  return { 'path.id': id, 'path.extensionId': extensionId }
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
