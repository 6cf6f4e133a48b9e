import { describe, expect, test } from 'bun:test'
import { RFQ_STATES, type RfqState } from '../../../proto/states/rfqs.ts'
import { confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing', 'catalog'])
const { designer, buyer, maker, stranger, open } = await confidentialParties(market)
const { owner } = market.db

const CALLERS = { designer, buyer, maker, stranger }
type CallerName = keyof typeof CALLERS

/** The verbs, typed from the contract. None moves the RFQ. */
const VERBS = {
  accept: { by: 'maker', in: ['OPEN'] },
  release: { by: 'designer', in: ['OPEN', 'CLOSED'] },
  withdraw: { by: 'designer', in: ['OPEN', 'CLOSED', 'AWARDED'] },
} as const satisfies Record<string, { by: CallerName; in: readonly RfqState[] }>
type Verb = keyof typeof VERBS

/** Puts an RFQ that was open into a state. */
async function put(id: string, state: RfqState): Promise<void> {
  const reason = state === 'CANCELLED' ? 'Sold.' : null
  await owner`update sourcing.rfqs set state = ${state}, cancel_reason = ${reason} where id = ${id}`
  if (state !== 'DRAFT') return
  await owner`delete from sourcing.rfq_invitations where rfq_id = ${id}`
  await owner`update sourcing.rfqs set published_at = null where id = ${id}`
}

async function tried(verb: Verb, state: RfqState, caller: CallerName): Promise<string> {
  const id = await open()
  if (verb !== 'accept') await termsOf(maker.administrator.client).accept(id)
  await put(id, state)
  const by = termsOf(CALLERS[caller].administrator.client)
  const { status } = await (verb === 'accept' ? by.accept(id) : by[verb](id, maker.orgId))
  return `${state}: ${status}`
}

describe.each(Object.keys(VERBS) as Verb[])('%s', (verb) => {
  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      const { by, in: states } = VERBS[verb]
      const expected = RFQ_STATES.map((state) => {
        if (by !== caller || state === 'DRAFT') return `${state}: 404`
        return `${state}: ${(states as readonly string[]).includes(state) ? 200 : 409}`
      })
      expect(await Promise.all(RFQ_STATES.map((state) => tried(verb, state, caller)))).toEqual(expected)
    },
  )
})
