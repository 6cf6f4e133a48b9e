import { DAY_MS } from '../../../proto/durations.ts'
import type { FieldError } from '../../../proto/errors.ts'

type DomainState = 'PENDING' | 'PROVED' | 'LOST'

export function domainStateOf({
  proved_at,
  lost_at,
}: {
  proved_at: string | null
  lost_at: string | null
}): DomainState {
  if (proved_at === null) return 'PENDING'
  return lost_at === null ? 'PROVED' : 'LOST'
}

/** What the DNS says of a record. `UNANSWERED`: nothing, which is no reason to withdraw a proof immediately. */
export type ProofAnswer = 'PRESENT' | 'ABSENT' | 'UNANSWERED'

/** Time without an answer of the DNS after which a proof is lost. */
const PATIENCE_MS = 7 * DAY_MS

export function isProofLost(answer: ProofAnswer, answeredAt: string | null, now: string): boolean {
  if (answer !== 'UNANSWERED') return answer === 'ABSENT'
  return answeredAt === null || Date.parse(now) - Date.parse(answeredAt) >= PATIENCE_MS
}

interface Enforceable {
  tested_at: string | null
  test_problem: string | null
  breakGlassUserId: string | null
}

/** Why a provider cannot be enforced, or undefined. */
export function enforcementProblems(
  provider: Enforceable,
  { isDomainProved, canBreakGlass }: { isDomainProved: boolean; canBreakGlass: boolean },
): FieldError[] {
  const problems: FieldError[] = []
  if (!isDomainProved) problems.push({ field: 'domains', message: 'has no proved domain' })
  if (provider.tested_at === null || provider.test_problem !== null)
    problems.push({ field: 'enforce', message: 'needs a successful test of the provider' })
  if (provider.breakGlassUserId === null || !canBreakGlass)
    problems.push({ field: 'breakGlassUserId', message: 'must be an active administrator with a password' })
  return problems
}
