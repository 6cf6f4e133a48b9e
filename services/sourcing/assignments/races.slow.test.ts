import { expect, setDefaultTimeout, test } from 'bun:test'
import { assignmentOf, assignmentsOf, eventsOf } from '../../testing/assignments.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../testing/orders.ts'
import { insertSubrecords } from '../../testing/subrecords.ts'

setDefaultTimeout(60_000)
const market = await marketplaceOf(['sourcing'], RACING)
const { owner } = market.db
const { maker, consumer, place } = await orderParties(market)
const made = assignmentsOf(maker.administrator.client)
const bought = assignmentsOf(consumer.administrator.client)
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort()
const ROUNDS = 20
const PARTIES = 5

const opened = async (state: 'PLACED' | 'SHIPPED' | 'COMPLETED') => {
  const orderId = await place({ state })
  return { orderId, id: await assignmentOf(owner, orderId) }
}

test('of two organizations that archive at the same time one succeeds and the other gets 409', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await opened('COMPLETED')
    expect(statuses(await Promise.all([made.act(id, 'archive'), bought.act(id, 'archive')]))).toEqual([200, 409])
    expect(await eventsOf(owner, id)).toHaveLength(PARTIES)
  }
})

test('of equal extensions at the same time one succeeds, and the others are 400', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await opened('PLACED')
    const extension = { dueDate: '2031-06-12', reason: 'Powder' }
    const answers = await Promise.all([1, 2, 3].map(() => made.extensions(id).create(extension)))
    expect(statuses(answers)).toEqual([201, 400, 400])
    expect((await made.extensions(id).list()).body.items).toHaveLength(1)
  }
})

test('contacts that are created at the same time stay within the limit', async () => {
  const { id } = await opened('PLACED')
  await insertSubrecords(owner, { kind: 'contact', parentId: id, orgId: maker.orgId }, 48)
  const answers = await Promise.all(Array.from({ length: 8 }, () => made.contacts(id).create({ name: 'Sales' })))
  expect(statuses(answers)).toEqual([201, 201, 409, 409, 409, 409, 409, 409])
})

test('a contact that is created while the assignment is archived comes before it, or is 409', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await opened('COMPLETED')
    const [archived, created] = await Promise.all([
      bought.act(id, 'archive'),
      made.contacts(id).create({ name: 'Sales' }),
    ])
    expect(archived.status).toBe(200)
    expect([201, 409]).toContain(created.status)
    const told = (await eventsOf(owner, id)).filter(({ tenantId }) => tenantId === maker.orgId)
    expect(told.map(({ type, data }) => [type, data.assignment.archived])).toEqual(
      created.status === 201
        ? [
            ['assignments.contacts.created', false],
            ['assignments.archived', true],
          ]
        : [['assignments.archived', true]],
    )
  }
})

test('two organizations that record a delivery at the same time tell each organization once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { orderId, id } = await opened('SHIPPED')
    const answers = await Promise.all(
      [maker, consumer].map(({ administrator }) => ordersOf(administrator.client).act(orderId, 'deliver')),
    )
    expect(statuses(answers)).toEqual([200, 409])
    const events = await eventsOf(owner, id)
    expect(events.map(({ type, data }) => [type, data.assignment.status])).toEqual(
      Array.from({ length: PARTIES }, () => ['assignments.status.updated', 'DELIVERED']),
    )
    expect(new Set(events.map(({ tenantId }) => tenantId)).size).toBe(PARTIES)
  }
})
