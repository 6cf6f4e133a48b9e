import type { Permission } from '../../../proto/permissions.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { type RecordName, recordKind } from '../records.ts'
import { newExpense, newTask } from './case-records.ts'
import { type Input, withValue } from './inputs.ts'
import type { OperationSample, PrivateReference } from './operation-sample.ts'

/** A record of another case than that of the request. */
const ofOtherCase = (record: RecordName, permission: Permission): PrivateReference => ({
  record,
  own: ({ permissions }) => (permissions.has(permission) ? 404 : undefined),
})

const onTask = (permission: Permission): OperationSample => ({
  references: {
    'path.id': ofOtherCase('openCase', permission),
    'path.taskId': ofOtherCase('caseTask', permission),
    'body.assigneeOrgId': 'shared',
  },
  values: async (fixtures, account) => {
    const { id, taskId } = await newTask(fixtures, account)
    return { 'path.id': id, 'path.taskId': taskId }
  },
})

const onExpense = (permission: Permission): OperationSample => ({
  references: {
    'path.id': ofOtherCase('openCase', permission),
    'path.expenseId': ofOtherCase('caseExpense', permission),
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

/** Cases, tasks and expenses. */
export const CASE_SAMPLES: Record<string, OperationSample> = {
  listCases: { references: { 'query.rfqId': 'openRfq', 'query.orderId': 'boughtOrder' } },
  getCase: { references: { 'path.id': 'openCase' } },
  createCase: {
    references: { 'body.rfqId': ['draftRfq', 'openRfq', 'rfqInvitation'], 'body.orderId': 'boughtOrder' },
    // An RFQ or an order, not both; the title tells the bodies apart.
    values: () => ({ body: { kind: 'QUALITY', title: `Porosity ${crypto.randomUUID()}` } }),
    conflict: async (fixtures, account, input) =>
      withValue(input, 'body.rfqId', await recordKind('cancelledRfq').make(fixtures, account)),
  },
  patchCase: {
    references: { 'path.id': 'openCase' },
    conflict: async (fixtures, account, input) =>
      withValue(input, 'path.id', await recordKind('closedCase').make(fixtures, account)),
  },
  closeCase: verb('openCase'),
  reopenCase: verb('closedCase'),
  archiveCase: verb('closedCase'),
  unarchiveCase: verb('archivedCase'),
  listCaseTasks: { references: { 'path.id': 'openCase' } },
  getCaseTask: onTask('case:read'),
  createCaseTask: {
    references: { 'path.id': 'openCase', 'body.assigneeOrgId': 'shared' },
    values: () => ({ body: { title: 'Report' } }),
    conflict: closed,
  },
  patchCaseTask: {
    ...onTask('case:manage'),
    values: async (fixtures, account) => ({
      ...(await onTask('case:manage').values?.(fixtures, account)),
      body: { title: 'All reports' },
    }),
    conflict: closed,
  },
  completeCaseTask: { ...onTask('case:manage'), conflict: 'race' },
  deleteCaseTask: { ...onTask('case:manage'), conflict: closed },
  listCaseExpenses: { references: { 'path.id': 'openCase' } },
  getCaseExpense: onExpense('case:read'),
  createCaseExpense: { references: { 'path.id': 'openCase' }, conflict: closed },
  patchCaseExpense: { ...onExpense('case:manage'), conflict: closed },
  deleteCaseExpense: { ...onExpense('case:manage'), conflict: closed },
}
