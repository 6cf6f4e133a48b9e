import {
  type CaseExpense,
  type CaseExpenseInput,
  type CaseExpensePatch,
  MAX_EXPENSES,
} from '../../../../proto/http/sourcing/case-expenses.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import { amountOf } from '../../money/money.ts'
import { subrecordCommands } from '../../subrecords/commands.ts'
import { lockCase, requireLegal } from '../commands.ts'
import { notifyOfCases } from '../events.ts'

export const expenses = subrecordCommands<Case, CaseExpenseInput, CaseExpensePatch>({
  kind: 'expense',
  idName: 'expenseId',
  idPrefix: 'expense',
  parentField: 'caseId',
  max: MAX_EXPENSES,
  tooMany: `An organization has at most ${MAX_EXPENSES} expenses in a case.`,
  lockParent: lockCase,
  requireLegal: (tx, parent, _change, now) => requireLegal(tx, 'edit', parent, now),
  contentOf: ({ description, amount: { amount, currency }, incurredDate }) => ({
    description,
    amount: { amount: amountOf(amount), currency },
    incurredDate,
  }),
  notify: (tx, parent, change, expense) =>
    notifyOfCases(tx, [{ type: `cases.expenses.${change}`, data: { case: parent, expense: expense as CaseExpense } }]),
})
