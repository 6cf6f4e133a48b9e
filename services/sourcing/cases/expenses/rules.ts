import {
  type CaseExpense,
  type CaseExpenseInput,
  type CaseExpensePatch,
  MAX_EXPENSES,
} from '../../../../proto/http/sourcing/case-expenses.ts'

export const hasTooManyExpenses = (count: number): boolean => count >= MAX_EXPENSES

/** The content of an expense, as it is stored. */
export const contentOf = ({ description, amount, incurredDate }: CaseExpenseInput) => ({
  description,
  amount: amount.amount,
  currency: amount.currency,
  incurredDate,
})
export type ExpenseContent = ReturnType<typeof contentOf>

/** The content after a patch: sent fields replace the stored ones. */
export const patchedContent = (expense: CaseExpense, patch: CaseExpensePatch): ExpenseContent =>
  contentOf({ ...expense, ...patch })
