import { describe, expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'

import { after, ORDER_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)

const CALLERS = { manufacturer: maker, consumer, seller, ipOwner, distributor, stranger }
type CallerName = keyof typeof CALLERS
const HELD: OrderState = 'INSPECTION'

const bodyOf = (verb: string) => {
  if (verb === 'milestones') return { milestones: [{ name: 'Delivery' }] }
  return ['cancel', 'decline', 'hold', 'rework'].includes(verb) ? { reason: 'Not this month.' } : undefined
}

/** The status of a verb of a caller on a new order, and the state of the order after it. */
async function tried(verb: string, state: OrderState, caller: CallerName) {
  const id = await place({ state, heldState: state === 'ON_HOLD' ? HELD : null })
  const { status } = await ordersOf(CALLERS[caller].administrator.client).act(id, verb, bodyOf(verb))
  const [row] = await market.db.owner<{ state: string }[]>`select state from sourcing.orders where id = ${id}`
  return `${caller} ${state}: ${status} ${row?.state}`
}

describe.each(Object.keys(ORDER_VERBS) as (keyof typeof ORDER_VERBS)[])('%s', (verb) => {
  const { by } = ORDER_VERBS[verb]

  test.each(Object.keys(CALLERS) as CallerName[])(
    'in every state by %s has the result of the contract',
    async (caller) => {
      const mayUse = (by as readonly string[]).includes(caller)
      const expected = ORDER_STATES.map((state) => {
        const next = after(ORDER_VERBS[verb], state, HELD)
        const result = mayUse && next !== undefined ? `200 ${next}` : `${mayUse ? 409 : 404} ${state}`
        return `${caller} ${state}: ${result}`
      })
      expect(await Promise.all(ORDER_STATES.map((state) => tried(verb, state, caller)))).toEqual(expected)
    },
  )
})

test('milestones and a release of files keep the state to which an order on hold returns', async () => {
  const made = ordersOf(maker.administrator.client)
  for (const state of ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION'] as const) {
    const id = await place({ state })
    await made.act(id, 'hold', bodyOf('hold'))
    expect((await made.act(id, 'milestones', bodyOf('milestones'))).body.state).toBe('ON_HOLD')
    expect((await ordersOf(ipOwner.administrator.client).act(id, 'release-files')).body.state).toBe('ON_HOLD')
    expect((await made.act(id, 'resume')).body.state).toBe(state)
  }
})
