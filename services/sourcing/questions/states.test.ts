import { describe, expect, test } from 'bun:test'
import { QUESTION_STATES, type QuestionState } from '../../../proto/states/questions.ts'
import { RFQ_STATES, type RfqState } from '../../../proto/states/rfqs.ts'
import { ASK_FROM, after, CLARIFY_FROM, QUESTION_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { questionsOf, TO_ALL } from '../../testing/questions.ts'
import { rfqParties } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, buyer, open } = await rfqParties(market)

/** `maker` asks, and `rival` is also invited. */
const CALLERS = { consumer, ipOwner, maker, rival, stranger }
type CallerName = keyof typeof CALLERS
const CALLER_NAMES = Object.keys(CALLERS) as CallerName[]
const requestsOf = (caller: CallerName) => questionsOf(CALLERS[caller].administrator.client)
const invite = { manufacturerIds: [maker.orgId, rival.orgId] }

async function questionIn(state: QuestionState): Promise<{ rfqId: string; id: string }> {
  const rfqId = await open(invite)
  const { id } = (await requestsOf('maker').ask(rfqId)).body
  if (state === 'ANSWERED') await requestsOf('consumer').answer(rfqId, id, TO_ALL)
  if (state === 'DISMISSED') await requestsOf('consumer').dismiss(rfqId, id)
  return { rfqId, id }
}

describe.each(Object.keys(QUESTION_VERBS) as (keyof typeof QUESTION_VERBS)[])('%s', (verb) => {
  test.each(CALLER_NAMES)('in every state by %s has the result of the contract', async (caller) => {
    const mayUse = (QUESTION_VERBS[verb].by as readonly string[]).includes(caller)
    const expected = QUESTION_STATES.map((state) => {
      const next = after(QUESTION_VERBS[verb], state)
      return mayUse && next !== undefined ? `${state}: 200 ${next}` : `${state}: ${mayUse ? 409 : 404} ${state}`
    })
    const tried = QUESTION_STATES.map(async (state) => {
      const { rfqId, id } = await questionIn(state)
      const { status } = await requestsOf(caller)[verb](rfqId, id)
      return `${state}: ${status} ${(await requestsOf('maker').list(rfqId)).body.items[0]?.state}`
    })
    expect(await Promise.all(tried)).toEqual(expected)
  })
})

/** Puts an RFQ that was open into a state. */
async function put(id: string, state: RfqState): Promise<void> {
  if (state === 'CLOSED') await buyer.act(id, 'close')
  if (state === 'CANCELLED') await buyer.act(id, 'cancel', { reason: 'Sold.' })
  if (state === 'AWARDED') await market.db.owner`update sourcing.rfqs set state = 'AWARDED' where id = ${id}`
}

test.each(CALLER_NAMES)('ask and clarify by %s in every state of a published RFQ', async (caller) => {
  const published = RFQ_STATES.filter((state) => state !== 'DRAFT')
  const isInvitee = caller === 'maker' || caller === 'rival'
  const answers = caller === 'consumer' || caller === 'ipOwner'
  const expected = published.map((state) => [
    state,
    isInvitee ? (ASK_FROM.includes(state) ? 201 : 409) : 404,
    answers ? (CLARIFY_FROM.includes(state) ? 201 : 409) : 404,
  ])
  const tried = published.map(async (state) => {
    const id = await open(invite)
    await put(id, state)
    const by = requestsOf(caller)
    return [state, (await by.ask(id)).status, (await by.clarify(id)).status]
  })
  expect(await Promise.all(tried)).toEqual(expected)
})
