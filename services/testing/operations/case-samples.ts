import type { Permission } from '../../../proto/permissions.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import type { RecordName } from '../records.ts'
import { documentedCase, newExpense, newMessage, newOwnTask, newTask, proposedExpense } from './case-records.ts'
import type { Input } from './inputs.ts'
import { type OperationSample, unfit, withAnother } from './operation-sample.ts'

const onTask = (permission: Permission): OperationSample => ({
  references: {
    'path.id': unfit('openCase', 404, permission),
    'path.taskId': unfit('caseTask', 404, permission),
    'body.assigneeOrgId': 'shared',
  },
  values: async (fixtures, account) => {
    const { id, taskId } = await newTask(fixtures, account)
    return { 'path.id': id, 'path.taskId': taskId }
  },
})

const decision: OperationSample = {
  references: {
    'path.id': unfit('openCase', 404, 'case:manage'),
    'path.expenseId': unfit('caseExpense', 404, 'case:manage'),
  },
  values: async (fixtures, account) => {
    const { id, expenseId } = await proposedExpense(fixtures, account)
    return { 'path.id': id, 'path.expenseId': expenseId }
  },
  conflict: 'race',
}

const onExpense = (permission: Permission): OperationSample => ({
  references: {
    'path.id': unfit('openCase', 404, permission),
    'path.expenseId': unfit('caseExpense', 404, permission),
  },
  values: async (fixtures, account) => {
    const { id, expenseId } = await newExpense(fixtures, account)
    return { 'path.id': id, 'path.expenseId': expenseId }
  },
})

/** Closes the case of the request. */
const closed = async ({ market }: Fixtures, _: Account, input: Input): Promise<Input> => {
  await market.db.owner`update sourcing.cases set state = 'CLOSED' where id = ${input.params.id as string}`
  return input
}

const verb = (record: RecordName): OperationSample => ({ references: { 'path.id': record }, conflict: 'race' })

/** Cases, messages, tasks and expenses. */
export const CASE_SAMPLES: Record<string, OperationSample> = {
  listCases: { references: { 'query.rfqId': 'openRfq', 'query.orderId': 'boughtOrder' } },
  getCase: { references: { 'path.id': 'openCase' } },
  createCase: {
    references: {
      'body.rfqId': ['draftRfq', 'openRfq', 'rfqInvitation'],
      'body.orderId': 'boughtOrder',
      'body.partyOrgIds.0': 'shared',
    },
    // An RFQ or an order, not both; the title tells the bodies apart.
    values: () => ({ body: { kind: 'QUALITY', title: `Porosity ${crypto.randomUUID()}` } }),
    conflict: withAnother('body.rfqId', 'cancelledRfq'),
  },
  patchCase: { references: { 'path.id': 'openCase' }, conflict: withAnother('path.id', 'closedCase') },
  closeCase: verb('openCase'),
  reopenCase: verb('closedCase'),
  archiveCase: verb('closedCase'),
  unarchiveCase: verb('archivedCase'),
  listCaseMessages: { references: { 'path.id': 'openCase' } },
  createCaseMessage: {
    references: {
      'path.id': unfit('openCase', 400, 'case:manage'),
      'body.fileIds.0': unfit('caseDocument', 400, 'case:manage'),
    },
    values: async (fixtures, account) => {
      const { id, fileId } = await documentedCase(fixtures, account)
      return { 'path.id': id, 'body.fileIds': [fileId] }
    },
    conflict: closed,
  },
  readCase: {
    references: {
      'path.id': unfit('openCase', 400, 'case:read'),
      'body.messageId': unfit('caseMessage', 400, 'case:read'),
    },
    values: async (fixtures, account) => {
      const { id, messageId } = await newMessage(fixtures, account)
      return { 'path.id': id, 'body.messageId': messageId }
    },
  },
  listTasks: { references: { 'query.assigneeId': 'colleague' } },
  listCaseTasks: { references: { 'path.id': 'openCase' } },
  getCaseTask: onTask('case:read'),
  createCaseTask: {
    references: { 'path.id': 'openCase', 'body.assigneeOrgId': 'shared', 'body.assigneeUserId': 'colleague' },
    values: () => ({ body: { title: 'Report' } }),
    conflict: closed,
  },
  patchCaseTask: {
    references: { ...onTask('case:manage').references, 'body.assigneeUserId': 'colleague' },
    values: async (fixtures, account) => ({
      ...(await onTask('case:manage').values?.(fixtures, account)),
      body: { title: 'All reports' },
    }),
    conflict: closed,
  },
  assignCaseTask: {
    references: {
      'path.id': unfit('openCase', 404, 'case:manage'),
      'path.taskId': unfit('caseTask', 404, 'case:manage'),
      'body.assigneeUserId': 'colleague',
    },
    values: async (fixtures, account) => {
      const { id, taskId } = await newOwnTask(fixtures, account)
      return { 'path.id': id, 'path.taskId': taskId, body: {} }
    },
    conflict: closed,
  },
  completeCaseTask: { ...onTask('case:manage'), conflict: 'race' },
  deleteCaseTask: { ...onTask('case:manage'), conflict: closed },
  listCaseExpenses: { references: { 'path.id': 'openCase' } },
  getCaseExpense: onExpense('case:read'),
  createCaseExpense: { references: { 'path.id': 'openCase' }, conflict: closed },
  patchCaseExpense: { ...onExpense('case:manage'), conflict: closed },
  approveCaseExpense: decision,
  rejectCaseExpense: decision,
  deleteCaseExpense: { ...onExpense('case:manage'), conflict: closed },
}
