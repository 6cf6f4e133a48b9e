import { describe, expect, test } from 'bun:test'
import { CHANGE_REQUEST_STATES } from '../../../proto/states/change-requests.ts'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'
import { SHIPMENT_STATES } from '../../../proto/states/shipments.ts'
import { changesOf } from '../../testing/change-requests.ts'
import { after, CHANGE_REQUEST_VERBS, PIECE_VERBS, SHIPMENT_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertShipment, orderParties } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const CALLERS = { manufacturer: maker, consumer, seller, ipOwner, distributor, stranger }
type CallerName = keyof typeof CALLERS
const NAMES = Object.keys(CALLERS) as CallerName[]
const HELD: OrderState = 'INSPECTION'

/** An order of which ten of twelve pieces were received, two of them rejected. */
async function partlyRejected(state: OrderState, { isProposed = false } = {}): Promise<string> {
  const id = await place({ state: 'IN_PRODUCTION' })
  await owner`update sourcing.orders set quantity = 12, total = 12 * unit_price + tooling_cost + shipping_cost where id = ${id}`
  await insertShipment(owner, id, 'RECEIVED', 2)
  await owner`
    update sourcing.orders set state = ${state}, held_state = ${state === 'ON_HOLD' ? HELD : null},
      proposed_remake_quantity = ${isProposed ? 2 : null}
    where id = ${id}`
  return id
}

/** What a verb of a caller answers in a state, and the state after it. */
const expected = (mayUse: boolean, state: string, next: string | undefined, success = 200) =>
  mayUse && next !== undefined ? `${success} ${next}` : `${mayUse ? 409 : 404} ${state}`

describe.each(Object.keys(PIECE_VERBS) as (keyof typeof PIECE_VERBS)[])('%s', (verb) => {
  const { by } = PIECE_VERBS[verb]
  const path = verb === 'settle' ? 'complete' : verb
  const bodyOf = () => {
    if (verb === 'settle') return { settle: true }
    return verb === 'shipments' || verb === 'remake' ? { quantity: 1 } : undefined
  }

  test.each(NAMES)('in every state of the order by %s has the result of the contract', async (caller) => {
    const mayUse = (by as readonly string[]).includes(caller)
    const results = await Promise.all(
      ORDER_STATES.map(async (state) => {
        const id = await partlyRejected(state, { isProposed: verb.endsWith('-remake') })
        const { client } = CALLERS[caller].administrator
        const { status } = await client.post(`/flows/v1/orders/${id}/${path}`, bodyOf())
        const [row] = await owner<{ state: string }[]>`select state from sourcing.orders where id = ${id}`
        return `${state}: ${status} ${row?.state}`
      }),
    )
    const success = verb === 'shipments' ? 201 : 200
    expect(results).toEqual(
      ORDER_STATES.map(
        (state) => `${state}: ${expected(mayUse, state, after(PIECE_VERBS[verb], state, HELD), success)}`,
      ),
    )
  })
})

test.each(NAMES)('receive of a shipment in every state by %s has the result of the contract', async (caller) => {
  const mayUse = (SHIPMENT_VERBS.receive.by as readonly string[]).includes(caller)
  const results = await Promise.all(
    SHIPMENT_STATES.map(async (state) => {
      const id = await place({ state: 'IN_PRODUCTION' })
      const shipmentId = await insertShipment(owner, id, state)
      const receipt = { acceptedQuantity: 10, rejectedQuantity: 0 }
      const { status } = await shipmentsOf(CALLERS[caller].administrator.client).receive(id, shipmentId, receipt)
      const [row] = await owner<{ state: string }[]>`select state from sourcing.shipments where id = ${shipmentId}`
      return `${state}: ${status} ${row?.state}`
    }),
  )
  expect(results).toEqual(
    SHIPMENT_STATES.map((state) => `${state}: ${expected(mayUse, state, after(SHIPMENT_VERBS.receive, state, null))}`),
  )
})

describe.each(Object.keys(CHANGE_REQUEST_VERBS) as (keyof typeof CHANGE_REQUEST_VERBS)[])('%s of a change', (verb) => {
  test.each(NAMES)(
    'that the consumer proposed, in every state by %s, has the result of the contract',
    async (caller) => {
      const mayUse = (CHANGE_REQUEST_VERBS[verb].by as readonly string[]).includes(caller)
      const results = await Promise.all(
        CHANGE_REQUEST_STATES.map(async (state) => {
          const id = await place({ state: 'CONFIRMED' })
          const { body } = await changesOf(consumer.administrator.client).create(id, { quantity: 8 })
          if (state !== 'PROPOSED') {
            await owner`update sourcing.change_requests set state = ${state}, decided_at = now() where id = ${body.id}`
          }
          const { status } = await changesOf(CALLERS[caller].administrator.client).act(id, body.id, verb)
          const [row] = await owner<
            { state: string }[]
          >`select state from sourcing.change_requests where id = ${body.id}`
          return `${state}: ${status} ${row?.state}`
        }),
      )
      expect(results).toEqual(
        CHANGE_REQUEST_STATES.map(
          (state) => `${state}: ${expected(mayUse, state, after(CHANGE_REQUEST_VERBS[verb], state, null))}`,
        ),
      )
    },
  )
})
