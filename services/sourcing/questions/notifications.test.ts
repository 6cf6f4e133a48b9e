import { expect, test } from 'bun:test'
import { caseEventsOf } from '../../testing/cases.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { questionsOf, TO_ALL, TO_ASKER } from '../../testing/questions.ts'
import { rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, buyer, partId, open } = await rfqParties(market)
const asker = questionsOf(maker.administrator.client)
const other = questionsOf(rival.administrator.client)
const buying = questionsOf(consumer.administrator.client)
const owning = questionsOf(ipOwner.administrator.client)
const NAMES = new Map([
  [consumer.orgId, 'consumer'],
  [ipOwner.orgId, 'ipOwner'],
  [maker.orgId, 'maker'],
  [rival.orgId, 'rival'],
])

const openToBoth = () => open({ manufacturerIds: [maker.orgId, rival.orgId] })

/** The case events of the work: the type of each, its organization and its cause. */
const toldBy = async (rfqId: string, work: () => Promise<unknown>) =>
  (await caseEventsOf(market, work))
    .map(({ type, tenantId, data }) => {
      expect([data.case.rfqId, (data as { cause?: { id: string } }).cause?.id]).toEqual([rfqId, rfqId])
      const { event = '' } = (data as { cause?: { event: string } }).cause ?? {}
      return `${type} ${NAMES.get(tenantId)} ${event}`
    })
    .toSorted()

async function domainEvents(rfqId: string) {
  const rows = await market.db.owner<{ type: string; tenant: string; data: string }[]>`
    select type, tenant_id as tenant, data::text as data from sourcing.outbox
    where subject = ${rfqId} and type ~ 'question|clarified' order by seq`
  return rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) }))
}

/** The case of the uninvolved invitee, and the RFQ as each organization reads it, with their ETags. */
async function readByAll(rfqId: string) {
  const read = ({ administrator }: typeof maker, path: string) => administrator.client.get(path)
  const answers = await Promise.all([
    ...[maker, rival, ipOwner].flatMap((org) => [
      read(org, `/v1/rfqs/${rfqId}`),
      read(org, `/v1/rfqs/${rfqId}/history`),
    ]),
    read(rival, `/flows/v1/cases?rfqId=${rfqId}`),
    read(rival, `/flows/v1/rfqs/${rfqId}/questions`),
  ])
  return answers.map(({ text, headers }) => [text, headers.get('etag')])
}

const told = (names: string[], event: string) => names.map((name) => `cases.updated ${name} sourcing.rfq.${event}`)

test('a question updates the cases of its asker, the consumer and the IP owner, and tells another invitee nothing', async () => {
  const rfqId = await openToBoth()
  await buyer.read(rfqId)
  // The first read is recorded in the invitation.
  await readByAll(rfqId)
  const before = await readByAll(rfqId)
  expect(await toldBy(rfqId, () => asker.ask(rfqId))).toEqual(told(['consumer', 'ipOwner', 'maker'], 'questionAsked'))
  expect(await readByAll(rfqId)).toEqual(before)
})

test('an answer to the asker, and a dismissal, update the cases of the same three, and tell another invitee nothing', async () => {
  const rfqId = await openToBoth()
  const [first, second] = [(await asker.ask(rfqId)).body.id, (await asker.ask(rfqId)).body.id]
  // The first read is recorded in the invitation.
  await readByAll(rfqId)
  const before = await readByAll(rfqId)
  expect(await toldBy(rfqId, () => buying.answer(rfqId, first, TO_ASKER))).toEqual(
    told(['consumer', 'ipOwner', 'maker'], 'questionAnswered'),
  )
  expect(await toldBy(rfqId, () => owning.dismiss(rfqId, second))).toEqual(
    told(['consumer', 'ipOwner', 'maker'], 'questionDismissed'),
  )
  expect(await readByAll(rfqId)).toEqual(before)
})

test('an answer to all, and a clarification, update the cases of every invitee that has not declined', async () => {
  const rfqId = await openToBoth()
  const [first, second] = [(await asker.ask(rfqId)).body.id, (await asker.ask(rfqId)).body.id]
  expect(await toldBy(rfqId, () => buying.answer(rfqId, first, TO_ALL))).toEqual(
    told(['consumer', 'ipOwner', 'maker', 'rival'], 'questionAnswered'),
  )
  await rfqsOf(rival.administrator.client).act(rfqId, 'decline')
  expect(await toldBy(rfqId, () => buying.answer(rfqId, second, TO_ALL))).toEqual(
    told(['consumer', 'ipOwner', 'maker'], 'questionAnswered'),
  )
  expect(await toldBy(rfqId, () => buying.clarify(rfqId))).toEqual(told(['consumer', 'ipOwner', 'maker'], 'clarified'))
})

test('an asker that has declined meanwhile is told of its answer', async () => {
  const rfqId = await openToBoth()
  const { id } = (await other.ask(rfqId)).body
  await rfqsOf(rival.administrator.client).act(rfqId, 'decline')
  expect(await toldBy(rfqId, () => buying.answer(rfqId, id, TO_ASKER))).toContain(
    'cases.updated rival sourcing.rfq.questionAnswered',
  )
})

test('the domain events have ids and no text', async () => {
  const rfqId = await openToBoth()
  const ids = [(await asker.ask(rfqId)).body.id, (await asker.ask(rfqId)).body.id, (await asker.ask(rfqId)).body.id]
  await buying.answer(rfqId, ids[0] as string, TO_ALL)
  await buying.dismiss(rfqId, ids[1] as string)
  const { id: clarificationId } = (await owning.clarify(rfqId)).body
  await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
  const about = { rfqId, partId, consumerOrgId: consumer.orgId, ipOwnerOrgId: ipOwner.orgId }
  const asked = (index: number) => ({ ...about, questionId: ids[index], manufacturerOrgId: maker.orgId })
  const tenant = consumer.orgId
  expect(await domainEvents(rfqId)).toEqual([
    ...[0, 1, 2].map((index) => ({ type: 'sourcing.rfq.questionAsked', tenant, data: asked(index) })),
    { type: 'sourcing.rfq.questionAnswered', tenant, data: asked(0) },
    { type: 'sourcing.rfq.questionDismissed', tenant, data: asked(1) },
    { type: 'sourcing.rfq.clarified', tenant, data: { ...about, clarificationId, answeredByOrgId: ipOwner.orgId } },
    { type: 'sourcing.rfq.questionDismissed', tenant, data: asked(2) },
  ])
})
