import { describe, expect, test } from 'bun:test'
import type { Permission } from '../../../proto/permissions.ts'
import { awardsOf } from '../../testing/awards.ts'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { euros, offerParties } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { questionsOf } from '../../testing/questions.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, maker, rival, buyer, open, submittedOffer } = await offerParties(market)
const of = ({ administrator }: TestOrganization) => inboxOf(administrator.client)
const both = { manufacturerIds: [maker.orgId, rival.orgId] }

/** An order of `maker` for an RFQ that requires a photo. */
async function ordered() {
  const rfqId = await open({ ...both, requiredDocuments: ['PHOTO'] })
  await awardsOf(consumer.administrator.client).accept(await submittedOffer({}, rfqId), { quantity: 10 })
  const [order] = await owner<{ id: string }[]>`select id from sourcing.orders where rfq_id = ${rfqId}`
  return order?.id as string
}

describe('an item', () => {
  test('is shown only with the permission to act', async () => {
    const rfqId = await open({ manufacturerIds: [maker.orgId] })
    await questionsOf(maker.administrator.client).ask(rfqId)
    await submittedOffer({}, rfqId)
    await buyer.act(rfqId, 'amend', { quantities: [10], reason: 'Fewer.' })
    await open(both)
    const orderId = await ordered()
    const caseId = (await casesOf(maker.administrator.client).create(qualityCase({ rfqId }))).body.id
    await casesOf(maker.administrator.client).write(caseId, 'Hello')
    await casesOf(maker.administrator.client).tasks(caseId).create({ title: 'X', assigneeOrgId: consumer.orgId })
    const expense = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }
    await casesOf(maker.administrator.client).expenses(caseId).create(expense)
    const kindsWith = async (org: TestOrganization, permissions: Permission[]) => {
      const { client } = await org.member(permissions)
      const { status, body } = await inboxOf(client).list('?pageSize=50')
      expect(status).toBe(200)
      return [...new Set(body.items.map(({ kind }) => kind))].toSorted()
    }
    expect(await kindsWith(consumer, [])).toEqual([])
    expect(await kindsWith(consumer, ['rfq:create'])).toEqual(['QUESTION'])
    expect(await kindsWith(consumer, ['rfq:award'])).toEqual(['OFFERS_TO_COMPARE'])
    expect(await kindsWith(consumer, ['case:read'])).toEqual(['UNREAD_MESSAGES'])
    expect(await kindsWith(consumer, ['case:manage'])).toEqual([])
    expect(await kindsWith(consumer, ['case:read', 'case:manage'])).toEqual([
      'EXPENSE_TO_DECIDE',
      'TASK',
      'UNREAD_MESSAGES',
    ])
    expect(await kindsWith(maker, ['order:confirm'])).toEqual(['ORDER_TO_CONFIRM'])
    await ordersOf(maker.administrator.client).act(orderId, 'confirm')
    expect(await kindsWith(maker, ['file:write'])).toEqual(['DOCUMENTS_MISSING'])
    expect(await kindsWith(maker, ['offer:submit', 'offer:create'])).toEqual(['INVITATION', 'OUTDATED_OFFER'])
  })

  test('is filtered by its kind, and an unknown kind is 400', async () => {
    const rfqId = await open({ manufacturerIds: [maker.orgId] })
    const { items } = (await of(maker).list('?kind=INVITATION&pageSize=50')).body
    expect(items[0]?.record.id).toBe(rfqId)
    expect(items.every(({ kind }) => kind === 'INVITATION')).toBe(true)
    expect((await of(maker).list('?kind=INVOICE')).status).toBe(400)
  })
})

describe('the list', () => {
  test('is newest first, and its pages have each item once, also while items are done', async () => {
    const org = await market.organization(['MANUFACTURER', 'CONSUMER'])
    const requests = casesOf(org.administrator.client)
    const ids: string[] = []
    for (let n = 0; n < 7; n++) {
      const { id } = (await requests.create(qualityCase({ title: `${n}` }))).body
      const task = await requests.tasks(id).create({ title: `${n}`, assigneeOrgId: org.orgId })
      ids.unshift(task.body.id)
    }
    for (let n = 0; n < 3; n++) ids.unshift(await open({ manufacturerIds: [org.orgId] }))
    const inbox = of(org)
    const seen: string[] = []
    for (let page = 1; page <= 5; page++) {
      const { body } = await inbox.list(`?page=${page}&pageSize=2`)
      seen.push(...body.items.map(({ record }) => record.id))
      expect(body.hasMore).toBe(page < 5)
      if (page === 2) await rfqsOf(org.administrator.client).act(ids[0] as string, 'decline')
    }
    expect(seen).toEqual(ids)
    expect((await inbox.list('?page=3&pageSize=4')).body.items).toHaveLength(1)
    expect((await inbox.list('?page=9')).body).toEqual({ items: [], hasMore: false } as never)
  })

  test('of items since the same time has a total order', async () => {
    const org = await market.organization(['MANUFACTURER', 'CONSUMER'])
    const ids = [await open({ manufacturerIds: [org.orgId] }), await open({ manufacturerIds: [org.orgId] })]
    await owner`update sourcing.rfq_invitations set invited_at = '2026-01-01' where org_id = ${org.orgId}`
    const inbox = of(org)
    const pages = [await inbox.list('?pageSize=1'), await inbox.list('?page=2&pageSize=1')]
    expect(pages.map(({ body }) => body.items[0]?.record.id)).toEqual(ids.toSorted().reverse())
  })

  test('without a token is 401, and a bad page is 400', async () => {
    expect((await market.anonymous.get('/flows/v1/inbox')).status).toBe(401)
    expect((await of(maker).list('?page=0')).status).toBe(400)
  })
})
