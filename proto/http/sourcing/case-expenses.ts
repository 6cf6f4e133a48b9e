import { type Static, Type } from '@sinclair/typebox'
import { EXPENSE, EXPENSE_STATES } from '../../states/cases.ts'
import { crudOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Day, Line, OneOf, patchOf, Reason } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { caseId, casesTag } from './cases.ts'
import { Money } from './money.ts'

/** Maximum number of expenses of one organization in a case. */
export const MAX_EXPENSES = 200

const EXAMPLE_ID = 'expense_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const description = Line(200, {
  description: 'What the money was spent on.',
  examples: ['CT scan of the first article'],
})
const incurredDate = Day('Day of the expense, as YYYY-MM-DD.', '2026-04-29')

const reason = Reason('Why the expense is rejected.', 'The scan is part of the price.')

export const CaseExpenseInput = closed({ description, amount: Money, incurredDate })
export type CaseExpenseInput = Static<typeof CaseExpenseInput>

export const CaseExpensePatch = patchOf(CaseExpenseInput, {
  description: 'Changes the fields that are sent.',
  examples: [{ incurredDate: '2026-04-30' }],
})
export type CaseExpensePatch = Static<typeof CaseExpensePatch>

export const CaseExpense = closed({
  id: Type.String({ description: 'Id of the expense.', examples: [EXAMPLE_ID] }),
  caseId: Type.String({ description: 'Its case.', examples: ['case_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  orgId: Type.String({
    description: 'Organization that created the expense.',
    examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
  description,
  amount: Money,
  incurredDate,
  state: OneOf(EXPENSE_STATES, { description: 'State of the expense.', examples: ['PROPOSED'] }),
  reason: Type.Optional(reason),
  decidedByOrgId: Type.Optional(
    Type.String({
      description: 'Organization that approved or rejected the expense.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
    }),
  ),
  decidedTime: Type.Optional(DateTime('Time of the approval or rejection.')),
  createdTime: DateTime('Time of creation.'),
  updatedTime: DateTime('Time of the last change.'),
})
export type CaseExpense = Static<typeof CaseExpense>

const expenseId = Type.Object({
  ...caseId.properties,
  expenseId: Type.String({ description: 'Id of the expense.', examples: [EXAMPLE_ID] }),
})

const crud = crudOf({
  name: 'case.expense',
  path: '/flows/v1/cases/{id}/expenses',
  tag: casesTag,
  access: { read: 'case:read', write: 'case:manage' },
  params: expenseId,
  input: CaseExpenseInput,
  patch: CaseExpensePatch,
  response: CaseExpense,
})

export const listCaseExpenses = defineOperation({
  ...crud.list,
  id: 'listCaseExpenses',
  summary: "List a case's expenses",
  description: 'For every party to the case, newest first.',
  params: caseId,
})

export const getCaseExpense = defineOperation({
  ...crud.get,
  summary: 'Get an expense',
})

export const createCaseExpense = defineOperation({
  ...crud.create,
  summary: 'Create an expense',
  description: `By any party, while the case can be changed. An organization has at most ${MAX_EXPENSES} expenses in a case. Every party can see the amount. Another party approves or rejects it; in a case of one party, another of its users.`,
  params: caseId,
  refusals: ['illegal_transition', 'limit_reached'],
})

const WHILE_OPEN = 'The case must be OPEN.'

export const patchCaseExpense = defineOperation({
  ...crud.patch,
  summary: 'Change an expense',
  description: `${EXPENSE.sentence('patch')} ${WHILE_OPEN}`,
  transition: EXPENSE.verbs.patch,
  etag: true,
  refusals: ['illegal_transition'],
})

export const deleteCaseExpense = defineOperation({
  ...crud.delete,
  summary: 'Delete an expense',
  description: `${EXPENSE.sentence('delete')} ${WHILE_OPEN}`,
  transition: EXPENSE.verbs.delete,
  refusals: ['illegal_transition'],
})

const decision = verbsOf({
  name: 'case.expense',
  table: EXPENSE,
  path: '/flows/v1/cases/{id}/expenses/{expenseId}',
  tag: casesTag,
  params: expenseId,
  response: CaseExpense,
})

const DECIDERS = `Not by the party that proposed it; in a case of one party, not by the user who proposed it. ${WHILE_OPEN}`

export const approveCaseExpense = defineOperation({
  ...decision('approve', { note: DECIDERS }),
  access: 'case:manage',
  summary: 'Approve an expense',
  ifMatch: true,
})

export const rejectCaseExpense = defineOperation({
  ...decision('reject', { logged: ['reason'], note: DECIDERS }),
  access: 'case:manage',
  summary: 'Reject an expense',
  body: closed(
    { reason: Type.Optional(reason) },
    { description: 'Why the expense is rejected.', examples: [{ reason: 'The scan is part of the price.' }] },
  ),
  bodyOptional: true,
  ifMatch: true,
})
