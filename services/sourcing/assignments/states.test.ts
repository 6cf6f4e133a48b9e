import { describe, expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'

import { assignmentOf, assignmentsOf } from '../../testing/assignments.ts'
import { FINAL_ORDER_STATES } from '../../testing/contract-states.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { orderParties } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const CALLERS = { consumer, ipOwner, maker, seller, distributor, stranger }
type CallerName = keyof typeof CALLERS

async function assignmentIn(status: OrderState, archived = false): Promise<string> {
  const id = await assignmentOf(
    owner,
    await place({ state: status, heldState: status === 'ON_HOLD' ? 'INSPECTION' : null }),
  )
  if (archived) await owner`update sourcing.assignments set archived = true where id = ${id}`
  return id
}
const requestsOf = (caller: CallerName) => assignmentsOf(CALLERS[caller].administrator.client)
/** The statuses of a request in situations, next to each of them. */
const results = (situations: readonly string[], statuses: readonly number[]) =>
  situations.map((situation, index) => `${situation}: ${statuses[index]}`)

describe.each(Object.keys(CALLERS) as CallerName[])('an assignment by %s', (caller) => {
  const isParty = caller !== 'stranger'

  test('is archived once its order has ended, and unarchived while it is archived', async () => {
    const archives = await Promise.all(
      ORDER_STATES.map(async (status) => (await requestsOf(caller).act(await assignmentIn(status), 'archive')).status),
    )
    const may = (status: OrderState) => (!isParty ? 404 : FINAL_ORDER_STATES.includes(status) ? 200 : 409)
    expect(results(ORDER_STATES, archives)).toEqual(results(ORDER_STATES, ORDER_STATES.map(may)))
    for (const status of FINAL_ORDER_STATES) {
      const [present, archived] = [await assignmentIn(status), await assignmentIn(status, true)]
      const answers = [
        await requestsOf(caller).act(archived, 'archive'),
        await requestsOf(caller).act(present, 'unarchive'),
        await requestsOf(caller).act(archived, 'unarchive'),
      ]
      expect(answers.map((answer) => answer.status)).toEqual(isParty ? [409, 409, 200] : [404, 404, 404])
    }
  })

  test('is extended by the manufacturer until the delivery', async () => {
    const extended = await Promise.all(
      ORDER_STATES.map(async (status) => {
        const extensions = requestsOf(caller).extensions(await assignmentIn(status))
        return (await extensions.create({ dueDate: '2031-06-30', reason: 'New stock.' })).status
      }),
    )
    const ended: readonly OrderState[] = ['DELIVERED', ...FINAL_ORDER_STATES]
    const may = (status: OrderState) => (caller !== 'maker' ? 404 : ended.includes(status) ? 409 : 201)
    expect(results(ORDER_STATES, extended)).toEqual(results(ORDER_STATES, ORDER_STATES.map(may)))
  })

  test('gets contacts and billing details in every state, until it is archived', async () => {
    const details = { companyName: 'Works', address: { regionCode: 'NO', locality: 'Bergen', lines: [] } }
    const added = async (id: string) => [
      (await requestsOf(caller).contacts(id).create({ name: 'Sales' })).status,
      (await requestsOf(caller).billingDetails(id).create(details)).status,
    ]
    for (const status of ORDER_STATES) {
      expect([status, await added(await assignmentIn(status))]).toEqual([status, isParty ? [201, 201] : [404, 404]])
    }
    expect(await added(await assignmentIn('COMPLETED', true))).toEqual(isParty ? [409, 409] : [404, 404])
  })
})
