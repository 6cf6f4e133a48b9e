import { describe, expect, test } from 'bun:test'
import { RFQ_STATES, type RfqState } from '../../../proto/states/rfqs.ts'

import { after, RFQ_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { inHours, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, open, submittedOffer } = await offerParties(market)

/** `rival` is not invited. */
const CALLERS = { consumer, ipOwner, maker, rival, stranger }
type CallerName = keyof typeof CALLERS
type Verb = keyof typeof RFQ_VERBS

/** Puts an RFQ that was open into a state. */
async function put(id: string, state: RfqState): Promise<void> {
  const reason = state === 'CANCELLED' ? 'Sold.' : null
  await market.db.owner`update sourcing.rfqs set state = ${state}, cancel_reason = ${reason} where id = ${id}`
  if (state !== 'DRAFT') return
  await market.db.owner`delete from sourcing.rfq_invitations where rfq_id = ${id}`
  await market.db.owner`update sourcing.rfqs set published_at = null where id = ${id}`
}

function send(id: string, verb: Verb, { administrator }: typeof consumer, offerId: string) {
  const by = rfqsOf(administrator.client)
  if (verb === 'patch') return by.patch(id, { quantities: [7] })
  if (verb === 'delete') return by.remove(id)
  const bodies: Partial<Record<Verb, object>> = {
    invite: { manufacturerIds: [maker.orgId] },
    amend: { quantities: [20], reason: 'More are needed.' },
    extend: { expireTime: inHours(1000) },
    reopen: { expireTime: inHours(1000) },
    award: { awards: [{ offerId, quantity: 10 }] },
    cancel: { reason: 'Sold.' },
  }
  return by.act(id, verb, bodies[verb])
}

/** The status of a verb of a caller in a state, and the state after it. */
async function tried(verb: Verb, state: RfqState, caller: CallerName): Promise<string> {
  const id = await open()
  const offerId = verb === 'award' ? await submittedOffer({}, id) : ''
  await put(id, state)
  const { status } = await send(id, verb, CALLERS[caller], offerId)
  const [row] = await market.db.owner<{ state: string }[]>`select state from sourcing.rfqs where id = ${id}`
  return `${caller} ${state}: ${status} ${row?.state ?? 'DELETED'}`
}

/** The invitation, and with it the verb of a manufacturer, begins with the publication. */
const mayUse = (verb: Verb, state: RfqState, caller: CallerName) =>
  (RFQ_VERBS[verb].by as readonly string[]).includes(caller) && (caller === 'consumer' || state !== 'DRAFT')

describe.each(Object.keys(RFQ_VERBS) as Verb[])('%s', (verb) => {
  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      const expected = RFQ_STATES.map((state) => {
        const next = after(RFQ_VERBS[verb], state)
        if (!mayUse(verb, state, caller)) return `${caller} ${state}: 404 ${state}`
        return `${caller} ${state}: ${next === undefined ? `409 ${state}` : `${verb === 'delete' ? 204 : 200} ${next}`}`
      })
      expect(await Promise.all(RFQ_STATES.map((state) => tried(verb, state, caller)))).toEqual(expected)
    },
  )
})
