import type { Sql, Tx } from '../../../kit/db/client.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'
import { isParty } from '../visibility.ts'
import type { ExpenseContent } from './rules.ts'

export interface ExpenseKey {
  /** Id of the case. */
  id: string
  expenseId: string
}

/** The JSON of an expense; no row where the organization is no party to the case. */
export const findExpense = (sql: Sql, orgId: string, { id, expenseId }: ExpenseKey) => sql<{ document: string }[]>`
  select expense.document from sourcing.case_expenses expense
  join sourcing.cases on cases.id = expense.case_id
  where expense.id = ${expenseId} and expense.case_id = ${id} and ${isParty(sql, orgId)}`

/** The expenses of a case, newest first. The caller is a party to it. */
export const listExpenses = (sql: Sql, caseId: string, { after, limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select id as position, document from sourcing.case_expenses
  where case_id = ${caseId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** The expenses that an organization created in a case. */
export const countExpenses = (tx: Tx, orgId: string, caseId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.case_expenses where case_id = ${caseId} and org_id = ${orgId}`

interface NewExpense extends ExpenseContent {
  id: string
  caseId: string
  orgId: string
}

export const insertExpense = (tx: Tx, expense: NewExpense, now: string) => tx<[{ document: string }]>`
  insert into sourcing.case_expenses (
    id, case_id, org_id, description, amount, currency, incurred_on, created_at, updated_at)
  values (
    ${expense.id}, ${expense.caseId}, ${expense.orgId}, ${expense.description}, ${expense.amount},
    ${expense.currency}, ${expense.incurredDate}, ${now}, ${now})
  returning document`

/** No row where the organization did not create the expense. */
export const updateContent = (
  tx: Tx,
  orgId: string,
  { id, expenseId }: ExpenseKey,
  { description, amount, currency, incurredDate }: ExpenseContent,
  now: string,
) => tx<{ document: string }[]>`
  update sourcing.case_expenses set description = ${description}, amount = ${amount}, currency = ${currency},
    incurred_on = ${incurredDate}, updated_at = ${now}
  where id = ${expenseId} and case_id = ${id} and org_id = ${orgId}
  returning document`

/** No row where the organization did not create the expense. */
export const deleteExpense = (tx: Tx, orgId: string, { id, expenseId }: ExpenseKey) => tx`
  delete from sourcing.case_expenses where id = ${expenseId} and case_id = ${id} and org_id = ${orgId}`
