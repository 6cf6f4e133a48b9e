import {
  type CaseExpense,
  type CaseExpenseInput,
  type CaseExpensePatch,
  MAX_EXPENSES,
} from '../../../../proto/http/sourcing/case-expenses.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import type { AuditContext } from '../../../kit/audit/context.ts'
import { recordSuccess } from '../../../kit/audit/record.ts'
import type { BeginCommand } from '../../../kit/auth/authorized.ts'
import type { Tx } from '../../../kit/db/client.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import { found, notFound, refuse } from '../../../kit/errors/refusal.ts'
import { requireMatch } from '../../../kit/http/entity-tags.ts'
import { once } from '../../../kit/idempotency/once.ts'
import { amountOf } from '../../money/money.ts'
import { type CommandDeps, lockCase, requireLegal } from '../commands.ts'
import { notifyOfCases } from '../events.ts'
import * as queries from './queries.ts'
import { contentOf, hasTooManyExpenses, patchedContent } from './rules.ts'

interface CreateExpense {
  begin: BeginCommand
  params: { id: string }
  body: CaseExpenseInput
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates an expense of the caller's organization. */
export function createExpense({ clock }: CommandDeps, { begin, params, body, audit, idempotencyKey }: CreateExpense) {
  const now = new Date(clock()).toISOString()
  return begin((tx, { userId, orgId }) => {
    const request = { userId, operation: 'createCaseExpense', key: idempotencyKey, body: { ...params, ...body } }
    return once(tx, request, now, async (): Promise<CaseExpense> => {
      const of = await lockCase(tx, orgId, params.id)
      await requireLegal(tx, 'edit', of, now)
      const [{ count }] = await queries.countExpenses(tx, orgId, of.id)
      if (hasTooManyExpenses(count)) {
        throw refuse('limit_reached', { detail: `An organization has at most ${MAX_EXPENSES} expenses in a case.` })
      }
      const id = newIdAt('expense', now)
      const [row] = await queries.insertExpense(tx, { id, caseId: of.id, orgId, ...contentOf(body) }, now)
      await recordSuccess(tx, { ...audit, request: { ...audit.request, expenseId: id } })
      const expense: CaseExpense = JSON.parse(row.document)
      await notifyOfCases(tx, [{ type: 'cases.expenses.created', data: { case: of, expense } }])
      return expense
    })
  })
}

interface ChangeExpense {
  begin: BeginCommand
  params: queries.ExpenseKey
  audit: AuditContext
}

/** Changes an own expense. A patch without a change writes nothing. */
export function patchExpense(
  { clock }: CommandDeps,
  { begin, params, body, ifMatch, audit }: ChangeExpense & { body: CaseExpensePatch; ifMatch: string | undefined },
): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { of, expense, document } = await lockOwnExpense(tx, orgId, params)
    requireMatch(ifMatch, document)
    await requireLegal(tx, 'edit', of, now)
    await recordSuccess(tx, audit)
    const content = patchedContent(expense, body)
    const stored = { ...content, amount: amountOf(content.amount) }
    if (Bun.deepEquals(stored, contentOf(expense))) return new JsonText(document)
    const { document: changed } = found(await queries.updateContent(tx, orgId, params, stored, now))
    await notifyOfCases(tx, [{ type: 'cases.expenses.updated', data: { case: of, expense: JSON.parse(changed) } }])
    return new JsonText(changed)
  })
}

/** Deletes an own expense. */
export function deleteExpense({ clock }: CommandDeps, { begin, params, audit }: ChangeExpense): Promise<undefined> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { of, expense } = await lockOwnExpense(tx, orgId, params)
    await requireLegal(tx, 'edit', of, now)
    await queries.deleteExpense(tx, orgId, params)
    await recordSuccess(tx, audit)
    await notifyOfCases(tx, [{ type: 'cases.expenses.deleted', data: { case: of, expense } }])
    return undefined
  })
}

interface LockedExpense {
  of: Case
  expense: CaseExpense
  document: string
}

/** An expense that the organization created, with its locked case; otherwise 404. */
async function lockOwnExpense(tx: Tx, orgId: string, key: queries.ExpenseKey): Promise<LockedExpense> {
  const of = await lockCase(tx, orgId, key.id)
  const { document } = found(await queries.findExpense(tx, orgId, key))
  const expense: CaseExpense = JSON.parse(document)
  if (expense.orgId !== orgId) throw notFound()
  return { of, expense, document }
}
