import { type Static, Type } from '@sinclair/typebox'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Line, PageOf, pageQuery, patchOf } from '../shapes.ts'
import { caseId, casesTag } from './cases.ts'
import { Money } from './money.ts'

/** Maximum number of expenses of one organization in a case. */
export const MAX_EXPENSES = 200

const EXAMPLE_ID = 'expense_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const description = Line(200, {
  description: 'What the money was spent on.',
  examples: ['CT scan of the first article'],
})
const incurredDate = Type.String({
  format: 'date',
  description: 'Day of the expense, as YYYY-MM-DD.',
  examples: ['2026-04-29'],
})

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
  createdTime: DateTime('Time of creation.'),
  updatedTime: DateTime('Time of the last change.'),
})
export type CaseExpense = Static<typeof CaseExpense>

const expenseId = Type.Object({
  ...caseId.properties,
  expenseId: Type.String({ description: 'Id of the expense.', examples: [EXAMPLE_ID] }),
})

const REQUEST = Object.keys(CaseExpenseInput.properties)

export const listCaseExpenses = defineOperation({
  id: 'listCaseExpenses',
  method: 'GET',
  path: '/flows/v1/cases/{id}/expenses',
  tag: casesTag,
  summary: "List a case's expenses",
  description: 'For every party to the case, newest first.',
  access: 'case:read',
  params: caseId,
  query: Type.Object(pageQuery),
  response: PageOf(CaseExpense),
})

export const getCaseExpense = defineOperation({
  id: 'getCaseExpense',
  method: 'GET',
  path: '/flows/v1/cases/{id}/expenses/{expenseId}',
  tag: casesTag,
  summary: 'Get an expense',
  description: 'An unknown id and one outside your scope are the same 404.',
  access: 'case:read',
  params: expenseId,
  response: CaseExpense,
  etag: true,
})

export const createCaseExpense = defineOperation({
  id: 'createCaseExpense',
  method: 'POST',
  path: '/flows/v1/cases/{id}/expenses',
  tag: casesTag,
  summary: 'Create an expense',
  description: `By any party, while the case can be changed. An organization has at most ${MAX_EXPENSES} expenses in a case. Every party reads the amount.`,
  access: 'case:manage',
  params: caseId,
  body: CaseExpenseInput,
  status: 201,
  response: CaseExpense,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: { procedure: 'case.expense.create', request: ['id', 'expenseId', ...REQUEST] },
})

export const patchCaseExpense = defineOperation({
  id: 'patchCaseExpense',
  method: 'PATCH',
  path: '/flows/v1/cases/{id}/expenses/{expenseId}',
  tag: casesTag,
  summary: 'Change an expense',
  description: 'By the organization that created it, while the case is OPEN.',
  access: 'case:manage',
  params: expenseId,
  body: CaseExpensePatch,
  response: CaseExpense,
  ifMatch: true,
  etag: true,
  refusals: ['illegal_transition', 'precondition_failed'],
  audit: { procedure: 'case.expense.patch', request: ['id', 'expenseId', ...REQUEST] },
})

export const deleteCaseExpense = defineOperation({
  id: 'deleteCaseExpense',
  method: 'DELETE',
  path: '/flows/v1/cases/{id}/expenses/{expenseId}',
  tag: casesTag,
  summary: 'Delete an expense',
  description: 'By the organization that created it, while the case is OPEN.',
  access: 'case:manage',
  params: expenseId,
  status: 204,
  refusals: ['illegal_transition'],
  audit: { procedure: 'case.expense.delete', request: ['id', 'expenseId'] },
})
