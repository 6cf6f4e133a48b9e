import { expect, setDefaultTimeout, test } from 'bun:test'
import type { RfqState } from '../../../proto/states/rfqs.ts'

import { after, RFQ_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { randomFrom } from '../../testing/random.ts'
import { inHours, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, partId, buyer } = await rfqParties(market)

const CALLERS = { consumer, ipOwner, maker, rival, stranger }
type CallerName = keyof typeof CALLERS
type RfqVerb = keyof typeof RFQ_VERBS
const VERBS = Object.keys(RFQ_VERBS) as RfqVerb[]

/** What the test expects of an RFQ. All guards but the state are met by the requests. */
interface Model {
  state: RfqState
  wasPublished: boolean
  invited: Set<CallerName>
  declined: Set<CallerName>
  expiryHours: number
}

const isParty = (model: Model, caller: CallerName) =>
  caller === 'consumer' || (model.wasPublished && (caller === 'ipOwner' || model.invited.has(caller)))

/** The status that the contract gives to a verb of a caller. */
function expectedStatus(model: Model, verb: RfqVerb, caller: CallerName): number {
  const next = after(RFQ_VERBS[verb], model.state)
  if (verb === 'decline') {
    if (!model.wasPublished || !model.invited.has(caller)) return 404
    return next !== undefined && !model.declined.has(caller) ? 200 : 409
  }
  if (caller !== 'consumer') return 404
  // The RFQs of these walks have no offers; the tests of awards award RFQs.
  if (verb === 'award') return 400
  if (next === undefined) return 409
  return verb === 'delete' ? 204 : 200
}

function apply(model: Model, verb: RfqVerb, caller: CallerName): Model | undefined {
  const next = after(RFQ_VERBS[verb], model.state)
  if (next === 'DELETED') return undefined
  const state = next as RfqState
  return {
    state,
    wasPublished: model.wasPublished || state === 'OPEN',
    invited: verb === 'invite' ? new Set([...model.invited, 'rival']) : model.invited,
    declined: declinedAfter(model, verb, caller),
    expiryHours: model.expiryHours,
  }
}

/** An invitation of the verb renews that of `rival`, if it declined. */
function declinedAfter({ declined }: Model, verb: RfqVerb, caller: CallerName): Set<CallerName> {
  if (verb === 'decline') return new Set([...declined, caller])
  return verb === 'invite' ? new Set([...declined].filter((name) => name !== 'rival')) : declined
}

function send(id: string, verb: RfqVerb, caller: CallerName, model: Model) {
  const by = rfqsOf(CALLERS[caller].administrator.client)
  if (verb === 'patch') return by.patch(id, { quantities: [++model.expiryHours] })
  if (verb === 'delete') return by.remove(id)
  if (verb === 'amend') return by.act(id, verb, { quantities: [++model.expiryHours], reason: 'More are needed.' })
  if (verb === 'invite') return by.act(id, verb, { manufacturerIds: [rival.orgId] })
  if (verb === 'extend' || verb === 'reopen') return by.act(id, verb, { expireTime: inHours(++model.expiryHours) })
  if (verb === 'award') return by.act(id, verb, { awards: [{ offerId: 'offer_unknown', quantity: 1 }] })
  return by.act(id, verb, verb === 'cancel' ? { reason: 'Not needed.' } : undefined)
}

test.each([1, 2, 3, 4, 5, 6])(
  'random sequences of verbs by random callers agree with the contract (seed %p)',
  async (seed) => {
    const random = randomFrom(seed)
    const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    const seen = new Set<string>()
    for (let walk = 0; walk < 12; walk++) {
      const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
      let model: Model | undefined = {
        state: 'DRAFT',
        wasPublished: false,
        invited: new Set(['maker']),
        declined: new Set(),
        expiryHours: 100,
      }
      const steps: string[] = []
      for (let step = 0; step < 14 && model; step++) {
        const verb = oneOf(VERBS)
        // Half of the requests are those of the party of the verb, so that walks reach every state.
        const [party] = RFQ_VERBS[verb].by
        const caller = random() < 0.5 ? party : oneOf(Object.keys(CALLERS) as CallerName[])
        const expected = expectedStatus(model, verb, caller)
        const answer = await send(id, verb, caller, model)
        steps.push(`${verb} by ${caller} in ${model.state}`)
        expect([steps.join(', '), answer.status]).toEqual([steps.join(', '), expected])
        seen.add(`${verb} ${model.state} ${expected}`)
        if (expected < 300) model = apply(model, verb, caller)
        for (const reader of Object.keys(CALLERS) as CallerName[]) {
          const { status, body } = await rfqsOf(CALLERS[reader].administrator.client).read(id)
          const readable = model !== undefined && isParty(model, reader)
          expect([steps.join(', '), reader, status]).toEqual([steps.join(', '), reader, readable ? 200 : 404])
          if (readable) expect(body.state).toBe(model?.state as RfqState)
        }
      }
    }
    expect(seen.size).toBeGreaterThan(15)
  },
)
