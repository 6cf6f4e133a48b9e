import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { InboxItem } from '../../../proto/http/sourcing/inbox.ts'
import { awardsOf } from '../../testing/awards.ts'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { euros, offerParties } from '../../testing/offers.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, open, submittedOffer } = await offerParties(market)
const of = ({ administrator }: TestOrganization) => inboxOf(administrator.client)
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
const isItem = TypeCompiler.Compile(InboxItem)

/** The kinds about a record for each organization that has any. */
async function waiting(id: string): Promise<Record<string, string[]>> {
  const everyone = Object.entries({ consumer, ipOwner, maker, rival, stranger })
  const kinds = await Promise.all(everyone.map(async ([name, org]) => [name, await of(org).kinds(id)] as const))
  return Object.fromEntries(kinds.filter(([, found]) => found.length > 0))
}

describe('a case', () => {
  const newCase = async () =>
    (await casesOf(maker.administrator.client).create(qualityCase({ rfqId: await open(both) }))).body.id
  const casesFor = ({ administrator }: TestOrganization) => casesOf(administrator.client)

  test('waits with unread messages for its other parties, since the first one', async () => {
    const id = await newCase()
    const { createdTime } = (await casesFor(maker).write(id, 'A')).body
    await casesFor(maker).write(id, 'B')
    expect(await waiting(id)).toEqual({ consumer: ['UNREAD_MESSAGES'] })
    const [item] = await of(consumer).about(id)
    expect([item?.since, item?.title, isItem.Check(item)]).toEqual([createdTime, 'Porosity at the flange', true])
    await casesFor(consumer).markRead(id)
    expect(await waiting(id)).toEqual({})
  })

  test('waits with a task for the organization that should do it, and for its user alone', async () => {
    const id = await newCase()
    const { client, userId } = await consumer.member(['case:read', 'case:manage'])
    const dueDate = '2031-05-29'
    const task = (await casesFor(maker).tasks(id).create({ title: 'Report', assigneeOrgId: consumer.orgId, dueDate }))
      .body
    expect(await waiting(task.id)).toEqual({ consumer: ['TASK'] })
    const [item] = await of(consumer).about(task.id)
    expect([item?.parent, item?.title, item?.due, isItem.Check(item)]).toEqual([
      { type: 'case', id },
      'Report',
      '2031-05-29T23:59:59.999Z',
      true,
    ])
    await casesFor(consumer).tasks(id).act(task.id, 'assign', { assigneeUserId: userId })
    expect([await of(consumer).kinds(task.id), await inboxOf(client).kinds(task.id)]).toEqual([[], ['TASK']])
    await casesOf(client).tasks(id).act(task.id, 'complete')
    expect(await inboxOf(client).kinds(task.id)).toEqual([])
    const unassigned = (await casesFor(maker).tasks(id).create({ title: 'Report' })).body
    expect(await waiting(unassigned.id)).toEqual({})
  })

  test('waits with an expense for the parties that did not propose it, until it is decided', async () => {
    const id = await newCase()
    const body = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }
    const expense = (await casesFor(maker).expenses(id).create(body)).body
    expect(await waiting(expense.id)).toEqual({ consumer: ['EXPENSE_TO_DECIDE'] })
    expect(JSON.stringify(await of(consumer).about(expense.id))).not.toContain('480')
    await casesFor(consumer).expenses(id).act(expense.id, 'reject')
    expect(await waiting(expense.id)).toEqual({})
    await casesFor(maker)
      .expenses(id)
      .patch(expense.id, { amount: euros('1') })
    expect(await waiting(expense.id)).toEqual({ consumer: ['EXPENSE_TO_DECIDE'] })
  })

  test('of one party waits with an expense for its other users', async () => {
    const id = (await casesFor(maker).create(qualityCase())).body.id
    const { client } = await maker.member(['case:read', 'case:manage'])
    const body = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }
    const expense = (await casesFor(maker).expenses(id).create(body)).body
    expect([await of(maker).kinds(expense.id), await inboxOf(client).kinds(expense.id)]).toEqual([
      [],
      ['EXPENSE_TO_DECIDE'],
    ])
  })

  test('that is closed, or whose relation has ended, waits with nothing that can no longer be done', async () => {
    const body = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }
    const filled = async () => {
      const id = await newCase()
      await casesFor(maker).tasks(id).create({ title: 'Report', assigneeOrgId: consumer.orgId })
      await casesFor(maker).expenses(id).create(body)
      expect(await of(consumer).kinds(id)).toEqual(['EXPENSE_TO_DECIDE', 'TASK'])
      return id
    }
    const closed = await filled()
    await casesFor(maker).act(closed, 'close')
    expect(await waiting(closed)).toEqual({})
    await casesFor(maker).act(closed, 'reopen')
    expect(await of(consumer).kinds(closed)).toEqual(['EXPENSE_TO_DECIDE', 'TASK'])
    const declined = await filled()
    const { rfqId } = (await casesFor(maker).read(declined)).body
    await rfqsOf(maker.administrator.client).act(rfqId as string, 'decline')
    expect(await of(consumer).kinds(declined)).toEqual([])
  })

  describe('whose RFQ has ended', () => {
    const flags = (id: string) => market.db.owner<{ has_ended: boolean }[]>`
      select distinct has_ended from sourcing.case_work where case_id = ${id}`
    const withTask = async () => {
      const rfqId = await open(both)
      const id = (await casesFor(maker).create(qualityCase({ rfqId }))).body.id
      await casesFor(maker).tasks(id).create({ title: 'Report', assigneeOrgId: consumer.orgId })
      expect([await of(consumer).kinds(id), [...(await flags(id))]]).toEqual([['TASK'], [{ has_ended: false }]])
      return { rfqId, id }
    }

    test('has tasks that the inbox does not look at', async () => {
      const { rfqId, id } = await withTask()
      await rfqsOf(consumer.administrator.client).act(rfqId, 'cancel', { reason: 'Sold.' })
      expect([await of(consumer).kinds(id), [...(await flags(id))]]).toEqual([[], [{ has_ended: true }]])
    })

    test('by an award keeps the tasks of the conversation with the winner alone', async () => {
      const { rfqId, id } = await withTask()
      const { items } = (await casesFor(maker).list(`?rfqId=${rfqId}`)).body
      const conversation = items.find((one) => one.kind === 'SOURCING')?.id as string
      await casesFor(maker).tasks(conversation).create({ title: 'Plan', assigneeOrgId: consumer.orgId })
      const offerId = await submittedOffer({}, rfqId)
      await awardsOf(consumer.administrator.client).accept(offerId, { quantity: 10 })
      expect([await of(consumer).kinds(id), [...(await flags(id))]]).toEqual([[], [{ has_ended: true }]])
      expect([await of(consumer).kinds(conversation), [...(await flags(conversation))]]).toEqual([
        ['TASK'],
        [{ has_ended: false }],
      ])
    })

    test('for a manufacturer that declined has its tasks again once it is invited again', async () => {
      const { rfqId, id } = await withTask()
      const other = await withTask()
      await rfqsOf(maker.administrator.client).act(rfqId, 'decline')
      expect([await of(consumer).kinds(id), [...(await flags(id))]]).toEqual([[], [{ has_ended: true }]])
      await rfqsOf(consumer.administrator.client).act(rfqId, 'invite', { manufacturerIds: [maker.orgId] })
      expect([await of(consumer).kinds(id), [...(await flags(id))]]).toEqual([['TASK'], [{ has_ended: false }]])
      expect(await of(consumer).kinds(other.id)).toEqual(['TASK'])
    })
  })
})
