import { describe, expect, test } from 'bun:test'
import type { OfferState } from '../../../proto/states/offers.ts'

import { awardsOf } from '../../testing/awards.ts'
import { after, OFFER_VERBS, REJECTED_FROM, SUPERSEDED_FROM } from '../../testing/contract-states.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, stranger, buyer, seller, open, draftOffer, submittedOffer } = parties

const CALLERS = { maker, consumer, ipOwner, rival, stranger }
type CallerName = keyof typeof CALLERS
type Verb = keyof typeof OFFER_VERBS
const STATES: readonly OfferState[] = [
  'DRAFT',
  'SUBMITTED',
  'ACCEPTED',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
  'SUPERSEDED',
]

/** An offer of `maker` in a state, for an open RFQ. */
async function offerIn(state: OfferState, rfqId?: string): Promise<string> {
  if (state === 'DRAFT') return draftOffer({}, rfqId)
  const id = await submittedOffer({}, rfqId)
  await put(id, state)
  return id
}
const put = (id: string, state: OfferState) =>
  market.db.owner`update sourcing.offers set state = ${state} where id = ${id}`

const stateOf = async (id: string): Promise<string | undefined> =>
  (await market.db.owner<{ state: string }[]>`select state from sourcing.offers where id = ${id}`)[0]?.state

function send(id: string, verb: Verb, { administrator: { client } }: typeof maker) {
  if (verb === 'patch') return offersOf(client).patch(id, { notes: 'Heat treated.' })
  return verb === 'accept' ? awardsOf(client).accept(id, { quantity: 10 }) : offersOf(client).act(id, verb)
}

describe.each(Object.keys(OFFER_VERBS) as Verb[])('%s', (verb) => {
  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      const expected = STATES.map((state) => {
        const isSeen = caller === 'maker' || state !== 'DRAFT'
        const mayUse = isSeen && (OFFER_VERBS[verb].by as readonly string[]).includes(caller)
        const next = after(OFFER_VERBS[verb], state)
        return `${state}: ${mayUse && next !== undefined ? `200 ${next}` : `${mayUse ? 409 : 404} ${state}`}`
      })
      const tried = STATES.map(async (state) => {
        const id = await offerIn(state)
        // Only an outdated offer can be reconfirmed.
        if (verb === 'reconfirm') await market.db.owner`update sourcing.offers set outdated = true where id = ${id}`
        const { status } = await send(id, verb, CALLERS[caller])
        return `${state}: ${status} ${await stateOf(id)}`
      })
      expect(await Promise.all(tried)).toEqual(expected)
    },
  )
})

describe('what happens to the offers of an RFQ in every state', () => {
  /** The state of one offer for each state, after something happened to their RFQ. */
  const statesAfter = async (happen: (rfqId: string) => Promise<unknown>) => {
    const rfqId = await open()
    const ids: string[] = []
    for (const state of STATES) ids.push(await offerIn(state, rfqId))
    await happen(rfqId)
    return Promise.all(ids.map(stateOf))
  }
  const rejected = STATES.map((state) => (REJECTED_FROM.includes(state) ? 'REJECTED' : state))

  test('its cancellation rejects only the submitted one', async () => {
    const cancel = (rfqId: string) => buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
    expect(await statesAfter(cancel)).toEqual(rejected)
  })

  test('its award to another offer rejects only the submitted one', async () => {
    const award = async (rfqId: string) => {
      const won = await submittedOffer({}, rfqId)
      expect((await awardsOf(consumer.administrator.client).accept(won, { quantity: 10 })).status).toBe(200)
    }
    expect(await statesAfter(award)).toEqual(rejected)
  })

  test('the submission of a revision supersedes the one that it revises only where that is submitted', async () => {
    for (const state of STATES.filter((each) => each !== 'DRAFT')) {
      const former = await submittedOffer()
      const { body } = await seller.act(former, 'revise')
      await put(former, state)
      expect((await seller.act(body.id, 'submit')).body.state).toBe('SUBMITTED')
      expect([state, await stateOf(former)]).toEqual([state, SUPERSEDED_FROM.includes(state) ? 'SUPERSEDED' : state])
    }
  })

  test('the end of its validity expires only the submitted one', async () => {
    let rfq = ''
    const states = await statesAfter(async (rfqId) => {
      rfq = rfqId
      await market.db.owner`update sourcing.offers set valid_until = now() where rfq_id = ${rfqId}`
      const isExpired = async () =>
        (await market.db.owner`select from sourcing.offers where rfq_id = ${rfq} and state = 'SUBMITTED'`).length === 0
      await until(isExpired, { what: 'the expiry of the offer' })
    })
    expect(states).toEqual(STATES.map((state) => (state === 'SUBMITTED' ? 'EXPIRED' : state)))
  })
})
