import { expect, setDefaultTimeout, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/http/sourcing/orders.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { randomFrom } from '../../testing/random.ts'
import { type Actor, heldStateAfter, isLegal, ORDER_TRANSITIONS, type OrderVerb, stateAfter } from './states.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)

const CALLERS = { consumer, ipOwner, manufacturer: maker, seller, distributor, stranger }
type CallerName = keyof typeof CALLERS
const NAMES = Object.keys(CALLERS) as CallerName[]
const VERBS = Object.keys(ORDER_TRANSITIONS) as OrderVerb[]

interface Model {
  state: OrderState
  heldState: OrderState | null
}

/** The status that the table gives to a verb of a caller. */
function expectedStatus({ state }: Model, verb: OrderVerb, caller: CallerName): number {
  if (!(ORDER_TRANSITIONS[verb].by as readonly string[]).includes(caller)) return 404
  return isLegal(verb, state) ? 200 : 409
}

function apply({ state, heldState }: Model, verb: OrderVerb): Model {
  const after = stateAfter(verb, state, heldState)
  return { state: after, heldState: heldStateAfter(state, after, heldState) }
}

function bodyOf(verb: OrderVerb, step: number): object | undefined {
  if (verb === 'milestones') return { milestones: [{ name: `Step ${step}` }] }
  return ['cancel', 'decline', 'hold', 'rework'].includes(verb) ? { reason: `Step ${step}` } : undefined
}

const seen = new Set<string>()

test.each([1, 2, 3, 4, 5, 6])(
  'random sequences of verbs by random callers of every role agree with the table of states (seed %p)',
  async (seed) => {
    const random = randomFrom(seed)
    const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    for (let walk = 0; walk < 8; walk++) {
      const id = await place()
      let model: Model = { state: 'PLACED', heldState: null }
      const steps: string[] = []
      let changes = 1
      for (let step = 0; step < 20; step++) {
        // Half of the requests are legal ones of a party of the verb, so that walks reach every state. Few end the order early.
        const ends = random() < 0.2
        const legal = VERBS.filter(
          (verb) => isLegal(verb, model.state) && (ends || (verb !== 'decline' && verb !== 'cancel')),
        )
        const isLikely = random() < 0.5 && legal.length > 0
        const verb = isLikely ? oneOf(legal) : oneOf(VERBS)
        const caller = isLikely ? oneOf<Actor>(ORDER_TRANSITIONS[verb].by) : oneOf(NAMES)
        const expected = expectedStatus(model, verb, caller)
        const answer = await ordersOf(CALLERS[caller].administrator.client).act(id, verb, bodyOf(verb, step))
        steps.push(`${verb} by ${caller} in ${model.state}`)
        expect([steps.join(', '), answer.status]).toEqual([steps.join(', '), expected])
        seen.add(`${verb} ${model.state} ${expected}`)
        if (expected === 200) {
          model = apply(model, verb)
          changes++
          expect([steps.join(', '), answer.body.state]).toEqual([steps.join(', '), model.state])
        }
      }
      for (const reader of NAMES) {
        const { status, body } = await ordersOf(CALLERS[reader].administrator.client).read(id)
        expect([reader, status]).toEqual([reader, reader === 'stranger' ? 404 : 200])
        if (status === 200) expect(body.state).toBe(model.state)
      }
      const { body } = await ordersOf(consumer.administrator.client).history(id, '?pageSize=50')
      expect(body.items).toHaveLength(changes)
    }
  },
)

test('the walks used every verb legally in most of its states, and illegally', () => {
  const legal = VERBS.flatMap((verb) => ORDER_TRANSITIONS[verb].from.map((state) => `${verb} ${state} 200`))
  const missing = legal.filter((move) => !seen.has(move))
  expect(missing.length).toBeLessThan(6)
  for (const status of [200, 404, 409]) {
    const verbs = new Set([...seen].filter((move) => move.endsWith(` ${status}`)).map((move) => move.split(' ')[0]))
    expect([status, verbs.size]).toEqual([status, VERBS.length])
  }
})

test.each(VERBS)('%s is refused in every state that the table does not name', async (verb) => {
  const { from, by } = ORDER_TRANSITIONS[verb]
  const [caller] = by

  for (const state of ORDER_STATES) {
    const heldState = state === 'ON_HOLD' ? 'INSPECTION' : null
    const id = await place({ state, heldState })
    const act = ordersOf(CALLERS[caller].administrator.client)
    const { status, body } = await act.act(id, verb, bodyOf(verb, 1))
    const isAllowed = (from as readonly OrderState[]).includes(state)
    expect([state, status]).toEqual([state, isAllowed ? 200 : 409])
    expect((await act.read(id)).body.state).toBe(isAllowed ? body.state : state)
  }
})
