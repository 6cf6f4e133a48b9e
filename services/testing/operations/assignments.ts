import type { SubrecordKind } from '../../sourcing/subrecords/queries.ts'
import { assignmentOf } from '../assignments.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { insertSubrecords } from '../subrecords.ts'
import { boughtOrder, madeOrder } from './orders.ts'
import { CONSUMERS, MANUFACTURERS, recordOf } from './record-kind.ts'

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

/** Assignments of the account's organization, with an extension, a contact or billing details. */
export const ASSIGNMENT_RECORDS = {
  boughtAssignment: recordOf(CONSUMERS, 'assignment', boughtAssignment),
  madeAssignment: recordOf(MANUFACTURERS, 'assignment', madeAssignment),
  finishedAssignment: recordOf(CONSUMERS, 'assignment', async (fixtures, account) =>
    finish(fixtures, await boughtAssignment(fixtures, account), false),
  ),
  archivedAssignment: recordOf(CONSUMERS, 'assignment', async (fixtures, account) =>
    finish(fixtures, await boughtAssignment(fixtures, account), true),
  ),
  assignmentExtension: recordOf(
    CONSUMERS,
    'extension',
    async (fixtures, account) => (await extensionOf(fixtures, account))['path.extensionId'],
  ),
  assignmentContact: recordOf(
    CONSUMERS,
    'contact',
    async (fixtures, account) => (await contactOf(fixtures, account))['path.contactId'],
  ),
  billingDetails: recordOf(
    CONSUMERS,
    'billing',
    async (fixtures, account) => (await billingDetailsOf(fixtures, account))['path.billingDetailsId'],
  ),
}
