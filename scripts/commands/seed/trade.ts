import type { Marketplace, Offer } from '../../../proto/clients/typescript/src/index.ts'
import { euros, inDays } from '../demo/values.ts'
import { companyOf, type Demo } from './companies.ts'
import { factoryNamed, partNamed } from './parts.ts'
import {
  CASES,
  type DemoCase,
  type DemoOffer,
  type DemoOrder,
  type DemoRequest,
  ORGANIZATIONS,
  REQUESTS,
} from './story.ts'

const OPEN_DAYS = 180
const VALID_DAYS = 90
const DAY_SECONDS = 24 * 60 * 60

/** Plays the RFQs, offers, orders and cases of the story. */
export async function playTrade(demo: Demo): Promise<void> {
  for (const request of REQUESTS) await playRequest(demo, request)
  for (const one of CASES) await playCase(demo, one)
}

async function playRequest(demo: Demo, request: DemoRequest): Promise<void> {
  const clientOf = (key: string) => companyOf(demo, key).member
  const buyer = clientOf(request.consumer)
  const body = {
    ...request.terms,
    partId: partNamed(demo, request.part),
    manufacturerIds: request.manufacturers.map((key) => companyOf(demo, key).orgId),
    expireTime: inDays(OPEN_DAYS),
    currency: 'EUR' as const,
    deliveryRegionCode: 'DK',
  }
  const { data: rfq } = await buyer.POST('/flows/v1/rfqs', { body })
  if (!request.isPublished) return
  const params = { path: { id: rfq.id } }
  await buyer.POST('/flows/v1/rfqs/{id}/publish', { params })
  for (const key of request.readBy ?? []) await clientOf(key).GET('/v1/rfqs/{id}', { params })
  for (const [key, reason] of Object.entries(request.declinedBy ?? {})) {
    await clientOf(key).POST('/flows/v1/rfqs/{id}/decline', { params, body: { reason } })
  }
  for (const key of request.acceptedBy ?? []) await clientOf(key).POST('/flows/v1/rfqs/{id}/accept-terms', { params })
  for (const { by, text, answer, publishedText } of request.questions ?? []) {
    const { data: question } = await clientOf(by).POST('/flows/v1/rfqs/{id}/questions', { params, body: { text } })
    if (answer === undefined || publishedText === undefined) continue
    await buyer.POST('/flows/v1/rfqs/{id}/questions/{questionId}/answer', {
      params: { path: { ...params.path, questionId: question.id } },
      body: { text: answer, audience: 'ALL', publishedText },
    })
  }
  for (const { with: key, by, text } of request.messages ?? []) {
    const { data: cases } = await clientOf(key).GET('/flows/v1/cases', { params: { query: { rfqId: rfq.id } } })
    const conversation = { path: { id: cases.items[0]?.id ?? '' } }
    await clientOf(by).POST('/flows/v1/cases/{id}/messages', { params: conversation, body: { text } })
  }
  const offerIds: string[] = []
  for (const offer of request.offers) offerIds.push(await playOffer(demo, { rfqId: rfq.id, buyer }, offer))
  if (request.amendment) await buyer.POST('/flows/v1/rfqs/{id}/amend', { params, body: request.amendment })
  if (request.end === 'close') await buyer.POST('/flows/v1/rfqs/{id}/close', { params })
  if (request.end === 'cancel') {
    await buyer.POST('/flows/v1/rfqs/{id}/cancel', { params, body: { reason: 'The casing was repaired on board.' } })
  }
  const [first] = request.offers
  if (request.order && first) await playOrder(demo, request, request.order, first.manufacturer, offerIds[0] ?? '')
}

/** Returns the id of the offer. */
async function playOffer(
  demo: Demo,
  { rfqId, buyer }: { rfqId: string; buyer: Marketplace },
  { manufacturer, factory, verbs, validSeconds = VALID_DAYS * DAY_SECONDS, terms }: DemoOffer,
): Promise<string> {
  const maker = companyOf(demo, manufacturer).member
  const body = {
    ...terms,
    rfqId,
    factoryId: factoryNamed(demo, factory),
    validUntil: inDays(validSeconds / DAY_SECONDS),
  }
  const { data: offer } = await maker.POST('/flows/v1/offers', { body })
  const params = { path: { id: offer.id } }
  const play: Record<DemoOffer['verbs'][number], () => Promise<unknown>> = {
    submit: () => maker.POST('/flows/v1/offers/{id}/submit', { params }),
    withdraw: () => maker.POST('/flows/v1/offers/{id}/withdraw', { params }),
    reject: () =>
      buyer.POST('/flows/v1/offers/{id}/reject', { params, body: { reason: 'The lead time is too long.' } }),
    revise: async () => submitRevision(maker, (await maker.POST('/flows/v1/offers/{id}/revise', { params })).data),
  }
  for (const verb of verbs) await play[verb]()
  return offer.id
}

async function submitRevision(maker: Marketplace, { id }: Offer): Promise<void> {
  const params = { path: { id } }
  await maker.PATCH('/flows/v1/offers/{id}', { params, body: { toolingCost: euros('450') } })
  await maker.POST('/flows/v1/offers/{id}/submit', { params })
}

async function playOrder(
  demo: Demo,
  { consumer }: DemoRequest,
  { quantity, seller, steps, assignment }: DemoOrder,
  manufacturer: string,
  offerId: string,
): Promise<void> {
  if (seller) await agreeOnSales(companyOf(demo, manufacturer), companyOf(demo, seller))
  const body = { quantity, ...(seller ? { sellerOrgId: companyOf(demo, seller).orgId } : {}) }
  const buyer = companyOf(demo, consumer).member
  const accepted = await buyer.POST('/flows/v1/offers/{id}/accept', { params: { path: { id: offerId } }, body })
  const [order] = accepted.data.orders
  const params = { path: { id: order?.id ?? '' } }
  for (const { verb, by = manufacturer, body } of steps) {
    const client = companyOf(demo, by).member
    // The story names the verb and its body, which the types of the paths cannot follow.
    await client.POST(`/flows/v1/orders/{id}/${verb}` as '/flows/v1/orders/{id}/ship', { params, body: body as object })
  }
  if (assignment) await fillAssignment(companyOf(demo, manufacturer).member, params.path.id, assignment)
}

const SELLER_FEE = '2.50'

/** A seller may be named in an award once it has an agreement with the manufacturer. */
async function agreeOnSales(
  manufacturer: ReturnType<typeof companyOf>,
  seller: ReturnType<typeof companyOf>,
): Promise<void> {
  const { data: known } = await seller.member.GET('/flows/v1/sales-agreements', { params: { query: { pageSize: 50 } } })
  if (known.items.some(({ manufacturerOrgId }) => manufacturerOrgId === manufacturer.orgId)) return
  const body = { manufacturerOrgId: manufacturer.orgId, sellerOrgId: seller.orgId, feePercent: SELLER_FEE }
  const { data: agreement } = await seller.member.POST('/flows/v1/sales-agreements', { body })
  await manufacturer.member.POST('/flows/v1/sales-agreements/{id}/accept', { params: { path: { id: agreement.id } } })
}

async function fillAssignment(
  maker: Marketplace,
  orderId: string,
  { contacts = [], billingDetails = [], extension, archived }: NonNullable<DemoOrder['assignment']>,
): Promise<void> {
  const { data: listed } = await maker.GET('/flows/v1/assignments', { params: { query: { orderId } } })
  const [assignment] = listed.items
  if (!assignment) throw new Error(`The order ${orderId} of the demo has no assignment.`)
  const params = { path: { id: assignment.id } }
  for (const body of contacts) await maker.POST('/flows/v1/assignments/{id}/contacts', { params, body })
  for (const body of billingDetails) await maker.POST('/flows/v1/assignments/{id}/billing-details', { params, body })
  if (extension) {
    const due = Date.parse(assignment.dueDate) + extension.days * DAY_SECONDS * 1000
    const body = { dueDate: new Date(due).toISOString().slice(0, 10), reason: extension.reason }
    await maker.POST('/flows/v1/assignments/{id}/extensions', { params, body })
  }
  if (archived) await maker.POST('/flows/v1/assignments/{id}/archive', { params })
}

async function playCase(demo: Demo, { by, messages = [], tasks, expenses, verbs, order: state, ...one }: DemoCase) {
  const client = companyOf(demo, by).member
  const { data: orders } = state ? await client.GET('/v1/orders', { params: { query: { state } } }) : {}
  const { kind, title, description } = one
  const order = orders?.items[0]
  const body = { kind, title, ...(description && { description }), ...(order && { orderId: order.id }) }
  const { data: opened } = await client.POST('/flows/v1/cases', { body })
  const path = { id: opened.id }
  const consumer = ORGANIZATIONS.map(({ key }) => companyOf(demo, key)).find(
    ({ orgId }) => orgId === order?.consumerOrgId,
  )
  for (const { title, description, completed, forConsumer, dueDate } of tasks) {
    const body = {
      title,
      ...(description && { description }),
      ...(dueDate && { dueDate }),
      ...(forConsumer && consumer && { assigneeOrgId: consumer.orgId }),
    }
    const { data: task } = await client.POST('/flows/v1/cases/{id}/tasks', { params: { path }, body })
    const params = { path: { ...path, taskId: task.id } }
    if (completed) await client.POST('/flows/v1/cases/{id}/tasks/{taskId}/complete', { params })
  }
  for (const { description, amount, incurredDate, decision } of expenses) {
    const body = { description, amount: euros(amount), incurredDate }
    const { data: expense } = await client.POST('/flows/v1/cases/{id}/expenses', { params: { path }, body })
    const params = { path: { ...path, expenseId: expense.id } }
    if (decision) await consumer?.member.POST(`/flows/v1/cases/{id}/expenses/{expenseId}/${decision}`, { params })
  }
  for (const { byConsumer, text } of messages) {
    const writer = byConsumer ? consumer?.member : client
    await writer?.POST('/flows/v1/cases/{id}/messages', { params: { path }, body: { text } })
  }
  for (const verb of verbs) await client.POST(`/flows/v1/cases/{id}/${verb}`, { params: { path } })
}
