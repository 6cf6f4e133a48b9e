import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ASSIGNMENT_EVENTS } from '../../../../proto/events/assignments.ts'
import { AssignmentExtension } from '../../../../proto/http/sourcing/assignments.ts'
import { assignmentOf, assignmentsOf, eventsOf } from '../../../testing/assignments.ts'
import { marketplaceOf } from '../../../testing/marketplace.ts'
import { orderParties, ordersOf } from '../../../testing/orders.ts'
import { insertSubrecords } from '../../../testing/subrecords.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const made = assignmentsOf(maker.administrator.client)
const isExtension = TypeCompiler.Compile(AssignmentExtension)
/** The due date of the orders is 2031-05-29. */
const later = { dueDate: '2031-06-12', reason: 'The powder batch failed its test.' }

const opened = async (state: Parameters<typeof place>[0] = {}) => {
  const orderId = await place(state)
  return { orderId, id: await assignmentOf(owner, orderId) }
}

describe('POST /flows/v1/assignments/{id}/extensions', () => {
  test('sets a later day, which every organization reads and is notified about; the order keeps its day and shows the later one', async () => {
    const { orderId, id } = await opened({ state: 'IN_PRODUCTION' })
    const answer = await made.extensions(id).create(later)
    expect([answer.status, isExtension.Check(answer.body)]).toEqual([201, true])
    expect(answer.body).toMatchObject({
      ...later,
      assignmentId: id,
      orgId: maker.orgId,
      previousDueDate: '2031-05-29',
    })
    expect((await made.read(id)).body.dueDate).toBe(later.dueDate)
    expect((await ordersOf(consumer.administrator.client).read(orderId)).body).toMatchObject({
      dueDate: '2031-05-29',
      expectedDate: '2031-06-12',
    })
    for (const org of [consumer, ipOwner, maker, seller, distributor]) {
      const { extensions } = assignmentsOf(org.administrator.client)
      expect((await extensions(id).read(answer.body.id)).text).toBe(answer.text)
      expect((await extensions(id).list()).body).toEqual({ items: [answer.body], hasMore: false })
    }
    const events = await eventsOf(owner, id)
    expect(events.map(({ type, tenantId }) => [type, tenantId])).toEqual(
      [consumer, ipOwner, maker, seller, distributor].map(({ orgId }) => ['assignments.extensions.created', orgId]),
    )
    for (const { data } of events) {
      expect(TypeCompiler.Compile(ASSIGNMENT_EVENTS['assignments.extensions.created']).Check(data)).toBe(true)
      expect(data).toMatchObject({ assignment: { id, dueDate: later.dueDate }, extension: answer.body })
      expect(data).not.toHaveProperty('cause')
    }
  })

  test('a second one starts from the first; the list has the newest first', async () => {
    const { id } = await opened()
    const first = await made.extensions(id).create(later)
    const second = await made.extensions(id).create({ ...later, dueDate: '2031-06-13' })
    expect(second.body.previousDueDate).toBe(later.dueDate)
    expect((await made.extensions(id).list()).body.items).toEqual([second.body, first.body])
    const page = await made.extensions(id).list('?pageSize=1&page=2')
    expect(page.body).toEqual({ items: [first.body], hasMore: false })
  })

  test.each([
    ['an equal day', { dueDate: '2031-05-29' }],
    ['an earlier day', { dueDate: '2031-05-28' }],
    ['no day', { dueDate: undefined }],
    ['a day that does not exist', { dueDate: '2031-06-31' }],
    ['a time', { dueDate: '2031-06-12T00:00:00Z' }],
    ['no reason', { reason: undefined }],
    ['a blank reason', { reason: ' ' }],
    ['a long reason', { reason: 'a'.repeat(501) }],
    ['null', { reason: null }],
    ['another field', { orgId: 'org_1' }],
  ])('%s is 400', async (_, more) => {
    const { id } = await opened()
    expect((await made.extensions(id).create({ ...later, ...more })).status).toBe(400)
    expect((await made.read(id)).body.dueDate).toBe('2031-05-29')
  })

  test.each(['DELIVERED', 'COMPLETED', 'DECLINED', 'CANCELLED'] as const)(
    'of an order that is %s is 409',
    async (state) => {
      const { id } = await opened({ state })
      const answer = await made.extensions(id).create(later)
      expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
      expect((await made.extensions(id).create({ ...later, dueDate: '2031-05-28' })).status).toBe(400)
    },
  )

  test('by another organization of the order, or another one, is 404; without assignment:manage 403', async () => {
    const { id } = await opened()
    for (const org of [consumer, ipOwner, seller, distributor, stranger]) {
      expect((await assignmentsOf(org.administrator.client).extensions(id).create(later)).status).toBe(404)
    }
    const { client } = await maker.member(['assignment:read'])
    expect((await assignmentsOf(client).extensions(id).create(later)).status).toBe(403)
    expect((await eventsOf(owner, id)).length).toBe(0)
  })

  test('beyond the limit is 409', async () => {
    const { id } = await opened()
    await insertSubrecords(owner, { kind: 'extension', parentId: id, orgId: maker.orgId }, 50)
    const answer = await made.extensions(id).create(later)
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
  })

  test('is written once for an Idempotency-Key, with an audit entry', async () => {
    const { id } = await opened()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, again] = [await made.extensions(id).create(later, key), await made.extensions(id).create(later, key)]
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await made.extensions(id).create({ ...later, reason: 'Other' }, key)).status).toBe(409)
    expect((await made.extensions(id).list()).body.items).toHaveLength(1)
    const [entry] = await owner`
      select request from organization.audit_log
      where org_id = ${maker.orgId} and procedure = 'assignment.extension.create' and success
      order by id desc limit 1`
    expect(entry?.request).toEqual({ id, extensionId: first.body.id, ...later })
  })
})

describe('reading extensions', () => {
  test("another organization's, an unknown one, and one of another assignment are 404", async () => {
    const [{ id }, other] = [await opened(), await opened()]
    const { body } = await made.extensions(id).create(later)
    const outside = assignmentsOf(stranger.administrator.client).extensions(id)
    expect([(await outside.read(body.id)).status, (await outside.list()).status]).toEqual([404, 404])
    expect((await made.extensions(id).read('extension_unknown')).status).toBe(404)
    expect((await made.extensions(other.id).read(body.id)).status).toBe(404)
  })

  test('without assignment:read is 403', async () => {
    const { id } = await opened()
    const { extensions } = assignmentsOf((await maker.member(['assignment:manage'])).client)
    expect([(await extensions(id).list()).status, (await extensions(id).read('extension_1')).status]).toEqual([
      403, 403,
    ])
  })
})
