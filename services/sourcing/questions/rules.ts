import { type FieldError, problem } from '../../../proto/errors.ts'
import {
  type AnswerInput,
  MAX_CLARIFICATIONS,
  MAX_QUESTIONS,
  MAX_QUESTIONS_OF_ALL,
} from '../../../proto/http/sourcing/rfq-questions.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { RFQ } from '../../../proto/states/rfqs.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

/** What an organization is to the questions about an RFQ. */
export interface Reader {
  /** The consumer is nothing else; an IP owner that is invited is an invitee. */
  role: 'CONSUMER' | 'IP_OWNER' | 'INVITEE'
  isIpOwner: boolean
  /** Whether it has declined its invitation. */
  isDeclined: boolean
}

/** The permissions of which an organization that answers needs one. */
export function permissionsToAnswer({ role, isIpOwner }: Reader): Permission[] {
  if (role === 'INVITEE') return []
  return [...(role === 'CONSUMER' ? (['rfq:create'] as const) : []), ...(isIpOwner ? (['part:update'] as const) : [])]
}

/** Problems of an answer that its schema cannot express. */
export function audienceProblems({ audience, publishedText }: AnswerInput): FieldError[] {
  if (audience === 'ALL' && publishedText === undefined) return [problem('publishedText', 'is required with ALL')]
  if (audience === 'ASKER' && publishedText !== undefined) {
    return [problem('publishedText', 'must not be sent with ASKER')]
  }
  return []
}

const compared = (text: string) => text.normalize('NFKC').replaceAll(/\s+/gu, ' ').trim().toLowerCase()

/** Whether an answer publishes the words of the asker, by which other invitees could recognise it. */
export const repeatsQuestion = ({ publishedText = '' }: AnswerInput, question: string): boolean =>
  compared(publishedText) === compared(question)

export const hasRoom = ({ own, all }: { own: number; all: number }): boolean =>
  own < MAX_QUESTIONS && all < MAX_QUESTIONS_OF_ALL

/** The refusal is the same for both limits. */
export const TOO_MANY_QUESTIONS = `A manufacturer asks at most ${MAX_QUESTIONS} questions about an RFQ, and all together at most ${MAX_QUESTIONS_OF_ALL}.`
export const TOO_MANY_CLARIFICATIONS = `An RFQ has at most ${MAX_CLARIFICATIONS} clarifications.`

/** The guards of `ask`. */
export const ASK_GUARDS = {
  isInvited: ({ isDeclined }: Pick<Reader, 'isDeclined'>) => (isDeclined ? 'The invitation is DECLINED.' : undefined),
} satisfies Guards<typeof RFQ.verbs, 'ask', never>

/** The organizations that answer: not an IP owner that is invited itself. */
const answerersOf = ({ consumerOrgId, ipOwnerOrgId, manufacturerIds }: Organizations): string[] =>
  manufacturerIds.includes(ipOwnerOrgId) ? [consumerOrgId] : [consumerOrgId, ipOwnerOrgId]

type Organizations = Pick<Rfq, 'consumerOrgId' | 'ipOwnerOrgId' | 'manufacturerIds'>

/** The organizations that answer, and others that read the same, each once. */
export const readersOfQuestion = (rfq: Organizations, others: readonly string[]): string[] => [
  ...new Set([...answerersOf(rfq), ...others]),
]
