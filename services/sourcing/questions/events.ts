import { emit, emitAll } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import { about, attributesOf } from '../rfqs/events.ts'
import type { RfqSubject } from '../rfqs/followers.ts'

type QuestionEvent = 'questionAsked' | 'questionAnswered' | 'questionDismissed'

interface Asked {
  id: string
  askedByOrgId: string
}

/** Emits an event of each question. */
export const emitQuestionEvents = (tx: Tx, name: QuestionEvent, rfq: RfqSubject, questions: readonly Asked[]) =>
  emitAll(
    tx,
    questions.map(({ id: questionId, askedByOrgId: manufacturerOrgId }) => ({
      ...attributesOf(rfq),
      type: `sourcing.rfq.${name}` as const,
      data: { ...about(rfq), questionId, manufacturerOrgId },
    })),
  )

export const emitClarified = (tx: Tx, rfq: RfqSubject, clarificationId: string, answeredByOrgId: string) =>
  emit(tx, {
    ...attributesOf(rfq),
    type: 'sourcing.rfq.clarified',
    data: { ...about(rfq), clarificationId, answeredByOrgId },
  })
