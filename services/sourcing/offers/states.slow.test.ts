import { expect, setDefaultTimeout, test } from 'bun:test'
import type { OfferState } from '../../../proto/states/offers.ts'
import type { RfqState } from '../../../proto/states/rfqs.ts'

import { after, OFFER_VERBS, REJECTED_FROM, SUPERSEDED_FROM } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { randomFrom } from '../../testing/random.ts'
import { inHours } from '../../testing/rfqs.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, buyer, open, draftOffer } = await offerParties(market)

const CALLERS = { consumer, ipOwner, maker, rival, stranger }
type CallerName = keyof typeof CALLERS

type RequestVerb = Exclude<keyof typeof OFFER_VERBS, 'accept'>
/** The tests of awards accept offers. */
const VERBS = (Object.keys(OFFER_VERBS) as (keyof typeof OFFER_VERBS)[]).filter(
  (verb): verb is RequestVerb => verb !== 'accept',
)
const RFQ_VERBS = ['close', 'reopen', 'cancel'] as const

/** What the test expects of an offer. */
interface Model {
  state: OfferState
  previous: string | undefined
}

interface Market {
  rfqState: RfqState
  offers: Map<string, Model>
}

const hasDraftRevision = ({ offers }: Market, id: string) =>
  [...offers.values()].some(({ state, previous }) => previous === id && state === 'DRAFT')

/** The status that the contract gives to a verb of a caller. The guards of factory and validity are met. */
function expectedStatus(model: Market, id: string, verb: RequestVerb, caller: CallerName): number {
  const { state } = model.offers.get(id) as Model
  const [by] = OFFER_VERBS[verb].by
  if (caller !== by || (by === 'consumer' && state === 'DRAFT')) return 404
  if ((verb === 'submit' || verb === 'revise') && model.rfqState !== 'OPEN') return 409
  if (verb === 'revise' && hasDraftRevision(model, id)) return 409
  // The RFQs of these walks are not amended, so no offer is outdated.
  if (verb === 'reconfirm') return 409
  return after(OFFER_VERBS[verb], state) === undefined ? 409 : 200
}

function apply({ offers }: Market, id: string, verb: RequestVerb, created: string): void {
  const offer = offers.get(id) as Model
  if (verb === 'revise') offers.set(created, { state: 'DRAFT', previous: id })
  else offer.state = after(OFFER_VERBS[verb], offer.state) as OfferState
  const previous = verb === 'submit' && offer.previous !== undefined ? offers.get(offer.previous) : undefined
  if (previous && SUPERSEDED_FROM.includes(previous.state)) previous.state = 'SUPERSEDED'
}

function applyToRfq(model: Market, verb: (typeof RFQ_VERBS)[number]): void {
  if (verb !== 'cancel') model.rfqState = verb === 'close' ? 'CLOSED' : 'OPEN'
  else {
    model.rfqState = 'CANCELLED'
    for (const offer of model.offers.values()) if (REJECTED_FROM.includes(offer.state)) offer.state = 'REJECTED'
  }
}

test.each([1, 2, 3, 4, 5, 6])(
  'random sequences of verbs by random callers agree with the contract (seed %p)',
  async (seed) => {
    const random = randomFrom(seed)
    const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    const seen = new Set<string>()
    for (let walk = 0; walk < 10; walk++) {
      const rfqId = await open()
      const model: Market = { rfqState: 'OPEN', offers: new Map() }
      for (let n = 0; n < 2; n++) model.offers.set(await draftOffer({}, rfqId), { state: 'DRAFT', previous: undefined })
      const steps: string[] = []
      for (let step = 0; step < 20; step++) {
        if (random() < 0.12) {
          const verb = oneOf(RFQ_VERBS)
          const body = { close: undefined, reopen: { expireTime: inHours(90) }, cancel: { reason: 'x' } }[verb]
          const { status } = await buyer.act(rfqId, verb, body)
          if (status === 200) applyToRfq(model, verb)
          steps.push(`${verb} of the RFQ ${status}`)
        } else {
          const verb = oneOf(VERBS)
          const id = oneOf([...model.offers.keys()])
          // Most requests are those of the party of the verb, so that walks reach every state.
          const caller = random() < 0.7 ? OFFER_VERBS[verb].by[0] : oneOf(Object.keys(CALLERS) as CallerName[])
          const expected = expectedStatus(model, id, verb, caller)
          const by = offersOf(CALLERS[caller].administrator.client)
          const { state } = model.offers.get(id) as Model
          steps.push(`${verb} by ${caller} in ${state}, RFQ ${model.rfqState}`)
          const { status, body } = await (verb === 'patch' ? by.patch(id, { notes: `${step}` }) : by.act(id, verb))
          expect([steps.join('; '), status]).toEqual([steps.join('; '), expected])
          seen.add(`${verb} ${state} ${expected}`)
          if (expected === 200) apply(model, id, verb, body.id)
        }
        for (const [id, { state }] of model.offers) {
          const reader = oneOf(Object.keys(CALLERS) as CallerName[])
          const answer = await offersOf(CALLERS[reader].administrator.client).read(id)
          const isParty = reader === 'maker' || (state !== 'DRAFT' && (reader === 'consumer' || reader === 'ipOwner'))
          const found = [steps.join('; '), reader, answer.status, answer.body.state]
          expect(found).toEqual([
            steps.join('; '),
            reader,
            ...(isParty ? [200, state] : [404, undefined]),
          ] as typeof found)
        }
      }
    }
    expect(seen.size).toBeGreaterThan(20)
  },
)
