import type { CaseExpense } from '../../../../proto/http/sourcing/case-expenses.ts'
import type { EXPENSE } from '../../../../proto/states/cases.ts'
import type { Guards } from '../../../../proto/states/state-table.ts'

/** Who decides an expense, and who proposed it. */
export interface Decision {
  orgId: string
  userId: string
  partyOrgIds: readonly string[]
  proposedByOrgId: string
  /** Null for an older expense. */
  proposedByUserId: string | null
}

/** The guards of the state table. */
export const GUARDS = {
  isOfAnother: ({ orgId, userId, partyOrgIds, proposedByOrgId, proposedByUserId }: Decision) => {
    if (orgId !== proposedByOrgId) return undefined
    if (partyOrgIds.length > 1) return 'Another party decides on the expense, because your organization proposed it.'
    return userId === proposedByUserId
      ? 'Another user of your organization decides on the expense, because you proposed it.'
      : undefined
  },
} satisfies Guards<typeof EXPENSE.verbs, 'approve' | 'reject', never>

/** An expense as it is proposed, also again after it was rejected. */
export function proposed(expense: CaseExpense): CaseExpense {
  const { reason: _reason, decidedByOrgId: _orgId, decidedTime: _time, ...rest } = expense
  return { ...rest, state: 'PROPOSED' }
}
