import { insertDocument } from '../documents.ts'
import { type Account, ALL_KINDS, type Fixtures } from '../fixtures.ts'
import { insertSubrecords } from '../subrecords.ts'
import { created, recordOf } from './record-kind.ts'

const PATH = '/flows/v1/cases'

/** A case to which the account's organization is the only party, after the lifecycle commands. */
const caseAfter = (fixtures: Fixtures, account: Account, ...verbs: string[]) =>
  created(fixtures, account, PATH, { kind: 'QUALITY', title: 'Porosity' }, verbs)

export async function newTask(fixtures: Fixtures, account: Account) {
  const id = await caseAfter(fixtures, account)
  return { id, taskId: await created(fixtures, account, `${PATH}/${id}/tasks`, { title: 'Report' }) }
}

export async function newExpense(fixtures: Fixtures, account: Account) {
  const id = await caseAfter(fixtures, account)
  const body = { description: 'CT scan', amount: { amount: '480.5', currency: 'EUR' }, incurredDate: '2026-04-29' }
  return { id, expenseId: await created(fixtures, account, `${PATH}/${id}/expenses`, body) }
}

/** A task that the account's organization should do. */
export async function newOwnTask(fixtures: Fixtures, account: Account) {
  const id = await caseAfter(fixtures, account)
  const { orgId } = await fixtures.account(account.kind, 'administrator')
  return {
    id,
    taskId: await created(fixtures, account, `${PATH}/${id}/tasks`, { title: 'Report', assigneeOrgId: orgId }),
  }
}

/** An expense that no user of the account's organization proposed. */
export async function proposedExpense(fixtures: Fixtures, account: Account) {
  const id = await caseAfter(fixtures, account)
  const { orgId } = await fixtures.account(account.kind, 'administrator')
  const [expenseId] = await insertSubrecords(fixtures.market.db.owner, { kind: 'expense', parentId: id, orgId })
  return { id, expenseId }
}

/** A case with a document of the account's organization. */
export async function documentedCase(fixtures: Fixtures, account: Account) {
  const id = await caseAfter(fixtures, account)
  const { orgId } = await fixtures.account(account.kind, 'administrator')
  return { id, fileId: await insertDocument(fixtures.market, { orgId, kind: 'case', recordId: id }) }
}

export async function newMessage(fixtures: Fixtures, account: Account) {
  const id = await caseAfter(fixtures, account)
  return { id, messageId: await created(fixtures, account, `${PATH}/${id}/messages`, { text: 'See the photo.' }) }
}

/** Cases, messages, tasks and expenses of the account's organization. */
export const CASE_RECORDS = {
  openCase: recordOf(ALL_KINDS, 'case', (fixtures, account) => caseAfter(fixtures, account)),
  closedCase: recordOf(ALL_KINDS, 'case', (fixtures, account) => caseAfter(fixtures, account, 'close')),
  archivedCase: recordOf(ALL_KINDS, 'case', (fixtures, account) => caseAfter(fixtures, account, 'close', 'archive')),
  caseMessage: recordOf(
    ALL_KINDS,
    'message',
    async (fixtures, account) => (await newMessage(fixtures, account)).messageId,
  ),
  caseTask: recordOf(ALL_KINDS, 'task', async (fixtures, account) => (await newTask(fixtures, account)).taskId),
  caseExpense: recordOf(
    ALL_KINDS,
    'expense',
    async (fixtures, account) => (await newExpense(fixtures, account)).expenseId,
  ),
}
