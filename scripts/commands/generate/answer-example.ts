import type { Operation } from '../../../proto/http/operation.ts'
import { DELETED } from '../../../proto/states/state-table.ts'
import type { Json } from './components.ts'
import { exampleOf } from './examples.ts'

/** Fields that a record has in some states only. */
const ONLY_IN: Readonly<Record<string, readonly string[]>> = {
  carrier: ['SHIPPED', 'DELIVERED', 'COMPLETED'],
  trackingNumber: ['SHIPPED', 'DELIVERED', 'COMPLETED'],
  closedByOrgId: ['CLOSED', 'ARCHIVED'],
  completedTime: ['COMPLETED'],
  finishedTime: ['DELIVERED', 'FAILED'],
  nextAttemptTime: ['PENDING'],
  publishedTime: ['PUBLISHED', 'ARCHIVED'],
  submittedTime: ['SUBMITTED', 'ACCEPTED', 'REJECTED', 'WITHDRAWN', 'SUPERSEDED', 'EXPIRED'],
}

const AWARDED_OFFER = 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/**
 * Adds an example to the description of an operation on a record with states. The example of the shape alone would show
 * one state for every operation, such as an OPEN RFQ after its award.
 */
export function withAnswerExample(operation: Operation, described: Json): Json {
  const { response, status = 200, id } = operation
  const state = stateAfter(operation)
  if (!response || !state) return described
  const whole = exampleOf(response, id) as Record<string, unknown>
  const example: Json = Object.fromEntries(
    Object.entries({ ...whole, state }).filter(([name]) => isPresent(operation, name, state)),
  )
  if ('awardedOfferIds' in example) example.awardedOfferIds = state === 'AWARDED' ? [AWARDED_OFFER] : []
  const responses = described.responses as Record<string, { content: Record<string, Json> }>
  const success = responses[status]
  const json = success?.content['application/json']
  if (!success || !json) return described
  const content = { ...success.content, 'application/json': { ...json, example } }
  return { ...described, responses: { ...responses, [status]: { ...success, content } } }
}

/** The state of the record in the answer; undefined for an operation that answers no such record. */
function stateAfter({ response, transition, answersState }: Operation): string | undefined {
  const states = response?.properties?.state
  if (answersState !== undefined || !transition || !states) return answersState
  const to = typeof transition.to === 'string' ? transition.to : transition.to?.[0]
  if (to !== undefined) return to === DELETED ? undefined : to
  const [shown] = states.examples as string[]
  return transition.from.includes(shown as string) ? shown : transition.from[0]
}

/** A reason that is optional is shown where the request gives it. */
const isPresent = ({ body, response }: Operation, name: string, state: string): boolean =>
  response?.required?.includes(name) ||
  (name === 'reason' ? body?.properties?.reason !== undefined : (ONLY_IN[name]?.includes(state) ?? true))
