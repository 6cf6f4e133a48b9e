import { expect, setDefaultTimeout, test } from 'bun:test'
import type { OrderState } from '../../../proto/states/orders.ts'

import { after, ORDER_VERBS } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { randomFrom } from '../../testing/random.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)

const CALLERS = { consumer, ipOwner, manufacturer: maker, seller, distributor, stranger }
type CallerName = keyof typeof CALLERS
const NAMES = Object.keys(CALLERS) as CallerName[]
type OrderVerb = keyof typeof ORDER_VERBS
const VERBS = Object.keys(ORDER_VERBS) as OrderVerb[]

interface Model {
  state: OrderState
  heldState: OrderState | null
  areFilesReleased: boolean
}

function nextOf({ state, heldState, areFilesReleased }: Model, verb: OrderVerb): OrderState | undefined {
  if (verb === 'release-files' && areFilesReleased) return undefined
  if (verb === 'cancel' && state === 'ON_HOLD') return heldState === 'CONFIRMED' ? 'CANCELLED' : undefined
  return after(ORDER_VERBS[verb], state, heldState) as OrderState | undefined
}

/** The status that the contract gives to a verb of a caller. */
function expectedStatus(model: Model, verb: OrderVerb, caller: CallerName): number {
  if (!(ORDER_VERBS[verb].by as readonly string[]).includes(caller)) return 404
  return nextOf(model, verb) === undefined ? 409 : 200
}

function apply(model: Model, verb: OrderVerb): Model {
  const { state, heldState, areFilesReleased } = model
  const next = nextOf(model, verb) as OrderState
  const held = verb === 'hold' ? state : heldState
  return {
    state: next,
    heldState: next === 'ON_HOLD' ? held : null,
    areFilesReleased: areFilesReleased || verb === 'release-files',
  }
}

function bodyOf(verb: OrderVerb, step: number): object | undefined {
  if (verb === 'milestones') return { milestones: [{ name: `Step ${step}` }] }
  return ['cancel', 'decline', 'hold', 'rework'].includes(verb) ? { reason: `Step ${step}` } : undefined
}

const seen = new Set<string>()

test.each([1, 2, 3, 4, 5, 6])(
  'random sequences of verbs by random callers of every role agree with the contract (seed %p)',
  async (seed) => {
    const random = randomFrom(seed)
    const oneOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    for (let walk = 0; walk < 8; walk++) {
      const id = await place()
      let model: Model = { state: 'PLACED', heldState: null, areFilesReleased: false }
      const steps: string[] = []
      let changes = 1
      for (let step = 0; step < 32; step++) {
        // Half of the requests are legal ones of a party of the verb, so that walks reach every state. Few end the
        // order early.
        const ends = random() < 0.2
        const legal = VERBS.filter(
          (verb) => nextOf(model, verb) !== undefined && (ends || (verb !== 'decline' && verb !== 'cancel')),
        )
        const isLikely = random() < 0.5 && legal.length > 0
        const verb = isLikely ? oneOf(legal) : oneOf(VERBS)
        const caller = isLikely ? oneOf<CallerName>(ORDER_VERBS[verb].by) : oneOf(NAMES)
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
  const legal = VERBS.flatMap((verb) => Object.keys(ORDER_VERBS[verb].moves).map((state) => `${verb} ${state} 200`))
  const missing = legal.filter((move) => !seen.has(move))
  expect(missing.length).toBeLessThan(8)
  for (const status of [200, 404, 409]) {
    const verbs = new Set([...seen].filter((move) => move.endsWith(` ${status}`)).map((move) => move.split(' ')[0]))
    expect([status, verbs.size]).toEqual([status, VERBS.length])
  }
})
