import type * as api from '../../../../proto/http/sourcing/case-expenses.ts'
import {
  type CaseExpense,
  type CaseExpenseInput,
  type CaseExpensePatch,
  MAX_EXPENSES,
} from '../../../../proto/http/sourcing/case-expenses.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import { EXPENSE } from '../../../../proto/states/cases.ts'
import type { CommandOf, FieldsOf } from '../../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../../kit/command/transitions.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import { found } from '../../../kit/errors/refusal.ts'
import { requireMatch } from '../../../kit/http/entity-tags.ts'
import { amountOf } from '../../money/money.ts'
import { notifyParties } from '../../notifications/emit.ts'
import { subrecordCommands } from '../../subrecords/commands.ts'
import { lockSubrecord, updateSubrecord } from '../../subrecords/queries.ts'
import { lockCase, requireLegal } from '../commands.ts'
import { GUARDS, proposed } from './rules.ts'

export const expenses = subrecordCommands<Case, CaseExpenseInput, CaseExpensePatch>({
  kind: 'expense',
  parentField: 'caseId',
  max: MAX_EXPENSES,
  tooMany: `An organization has at most ${MAX_EXPENSES} expenses in a case.`,
  lockParent: lockCase,
  async requireLegal(tx, parent, { verb, record }, now) {
    await requireLegal(tx, 'edit', parent, now)
    if (verb !== 'create') requireTransition(EXPENSE, verb, (record as CaseExpense).state)
  },
  contentOf: ({ description, amount: { amount, currency }, incurredDate }) => ({
    description,
    amount: { amount: amountOf(amount), currency },
    incurredDate,
  }),
  initial: { state: EXPENSE.initial },
  afterPatch: (expense) => proposed(expense as CaseExpense),
  notify: (tx, parent, change, expense) =>
    notifyParties(tx, [{ type: `cases.expenses.${change}`, data: { case: parent, expense: expense as CaseExpense } }]),
})

/** Approves or rejects an expense of another party; of two concurrent calls one gets 409. */
export async function decideExpense(
  verb: 'approve' | 'reject',
  {
    tx,
    caller: { orgId, userId },
    params: { id: parentId, expenseId: id },
    body,
    ifMatch,
    now,
  }: CommandOf<(typeof api)[`${typeof verb}CaseExpense`]>,
): Promise<JsonText> {
  const parent = await lockCase(tx, orgId, parentId)
  const key = { kind: 'expense', parentId, id } as const
  const { document, created_by: proposedByUserId } = found(await lockSubrecord(tx, key))
  const present: CaseExpense = JSON.parse(document)
  requireMatch(ifMatch, document)
  await requireLegal(tx, 'edit', parent, now)
  const { partyOrgIds } = parent
  await requireGuards(EXPENSE, verb, present.state, {
    guards: GUARDS,
    facts: () => ({ orgId, userId, partyOrgIds, proposedByOrgId: present.orgId, proposedByUserId }),
  })
  const { reason }: FieldsOf<typeof body> = body ?? {}
  const { createdTime, updatedTime: _, ...rest } = present
  const expense: CaseExpense = {
    ...rest,
    state: EXPENSE.verbs[verb].to,
    ...(reason === undefined ? {} : { reason }),
    decidedByOrgId: orgId,
    decidedTime: now,
    createdTime,
    updatedTime: now,
  }
  const text = JSON.stringify(expense)
  await updateSubrecord(tx, { ...key, document: text })
  await notifyParties(tx, [{ type: 'cases.expenses.updated', data: { case: parent, expense } }])
  return new JsonText(text)
}
