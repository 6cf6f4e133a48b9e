import { describe, expect, test } from 'bun:test'
import { emitAny } from '../../kit/bus/outbox/emit.ts'
import { connect } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { awardsOf } from '../../testing/awards.ts'
import { MAIL_ADDRESSES, marketplaceWithMail, PUBLIC_URL } from '../../testing/mail/market.ts'
import { headerOf, type ReceivedMail } from '../../testing/mail/server.ts'
import { euros, offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'
import { appendItems } from './item-queries.ts'
import type { Notice } from './rules.ts'

const { market, server, add, confirmed, collected, release } = await marketplaceWithMail(['sourcing'])
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, stranger, buyer, open, seller, submittedOffer, rivalFactory } = parties
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
const emitters = {
  sourcing: connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-sourcing' }),
  webhooks: connect(market.db.urlOf('webhooks'), { max: 1, applicationName: 'test-webhooks' }),
}
for (const sql of Object.values(emitters)) market.db.beforeDrop(() => sql.end({ timeout: 1 }))

const awardTo = (rfqId: string, offerId: string, quantity = 10) =>
  awardsOf(consumer.administrator.client).award(rfqId, { awards: [{ offerId, quantity }] })
const remove = (org: typeof maker, id: string) => org.administrator.client.send('DELETE', `${MAIL_ADDRESSES}/${id}`)
const mailTo = async (email: string, count = 1) => (await server.arrived(email, count)).at(-1) as ReceivedMail
const linksIn = ({ mail }: ReceivedMail) =>
  [...(mail.text ?? '').matchAll(/^https:\/\/market\.example\.com\/console\/(.*)$/gm)].map(([, path]) => path)

test('a trade tells each organization what concerns it, in one mail for a burst', async () => {
  const [buying, owning, making, losing, watching] = [
    await confirmed(consumer),
    await confirmed(ipOwner),
    await confirmed(maker),
    await confirmed(rival),
    await confirmed(stranger),
  ]
  const rfqId = await open(both)
  const offerId = await submittedOffer({}, rfqId)
  const rivals = offersOf(rival.administrator.client)
  const other = (await rivals.create(offerBody(rfqId, rivalFactory.id))).body.id
  await rivals.act(other, 'submit')
  await rivals.act(other, 'withdraw')
  await buyer.act(rfqId, 'extend', { expireTime: '2040-01-02T03:04:05.000Z' })
  await buyer.act(rfqId, 'close')
  expect((await awardTo(rfqId, offerId)).status).toBe(200)
  const [{ id: orderId, serial_number: order }] = await market.db.owner<[{ id: string; serial_number: string }]>`
    select id, serial_number from sourcing.orders where rfq_id = ${rfqId}`
  await ordersOf(maker.administrator.client).act(orderId, 'confirm')

  expect(await collected(buying, 6)).toEqual([
    'offered',
    'offered',
    'offerWithdrawn',
    'toCompare',
    'ordered',
    'orderStep',
  ])
  expect(await collected(owning, 6)).toEqual([
    'offered',
    'offered',
    'offerWithdrawn',
    'ordered',
    'awarded',
    'orderStep',
  ])
  expect(await collected(making, 6)).toEqual(['invited', 'extended', 'closed', 'ordered', 'awarded', 'orderStep'])
  expect(await collected(losing, 4)).toEqual(['invited', 'extended', 'closed', 'awarded'])
  expect(await collected(watching, 0)).toEqual([])

  const { serialNumber } = (await buyer.read(rfqId)).body
  await release()
  const mail = await mailTo(making.email)
  expect(mail.mail.subject).toBe(
    `You are invited to quote for RFQ ${serialNumber} (Impeller), until 2040-01-02 03:04 UTC, and 5 more`,
  )
  expect(mail.mail.text).toContain(`RFQ ${serialNumber} (Impeller) is closed`)
  expect(mail.mail.text).toContain(`Order ${order} (Impeller) was placed`)
  expect(mail.mail.text).toContain(`Order ${order} (Impeller) is confirmed`)
  expect(linksIn(mail)).toEqual([
    `rfqs/${rfqId}/offer`,
    `rfqs/${rfqId}/offer`,
    `rfqs/${rfqId}`,
    `orders/${orderId}`,
    `rfqs/${rfqId}`,
    `orders/${orderId}`,
  ])
  expect(linksIn(await mailTo(buying.email))[0]).toBe(`rfqs/${rfqId}/comparison`)
  expect(linksIn(await mailTo(owning.email))[0]).toBe(`rfqs/${rfqId}`)
  await mailTo(losing.email)
  for (const address of [buying, owning, making, losing]) expect(server.to(address.email)).toHaveLength(1)
  expect(server.to(watching.email)).toEqual([])
})

test('a mail says who sent it, and how to end it with one click', async () => {
  const address = await confirmed(maker)
  await open()
  await collected(address, 1)
  await release()
  const mail = await mailTo(address.email)
  const [{ id }] = await market.db.owner<[{ id: string }]>`
    select id from organization.mails where address_id = ${address.id} and kind = 'NOTICE'`
  expect(mail.mail.messageId).toBe(`<${id}@market.example.com>`)
  expect(mail.mail.from).toMatchObject({ name: 'Marketplace', address: 'no-reply@market.example.com' })
  expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
  expect(headerOf(mail, 'List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click')
  const url = headerOf(mail, 'List-Unsubscribe')?.match(/^<https:\/\/market\.example\.com(.*)>$/)?.[1]
  expect(mail.mail.text).toContain(`${PUBLIC_URL}/mail-address#remove=`)
  await open()
  await collected(address, 1)
  expect((await fetch(market.url + url, { method: 'POST' })).status).toBe(204)
  expect(await collected(address, 0)).toEqual([])
  expect((await maker.administrator.client.get(`${MAIL_ADDRESSES}/${address.id}`)).status).toBe(404)
})

test('no mail has a price, also after the award of a sealed RFQ, and none names a competitor', async () => {
  const buying = await confirmed(consumer)
  const making = await confirmed(maker)
  const rfqId = await open({ ...both, sealed: true })
  const figures = {
    priceBreaks: [{ minQuantity: 1, unitPrice: euros('73911.37'), leadTimeDays: 28 }],
    toolingCost: euros('58423.11'),
    notes: 'EUR 91753 in all',
  }
  const offerId = await submittedOffer(figures, rfqId)
  await buyer.act(rfqId, 'close')
  await awardTo(rfqId, offerId)
  await collected(buying, 3)
  await collected(making, 4)
  await release()
  const mails = [await mailTo(buying.email), await mailTo(making.email)]
  for (const { raw, mail } of mails) {
    for (const text of [raw, mail.text, mail.html]) {
      for (const figure of ['73911', '58423', '91753', 'EUR', rival.orgId]) expect(text).not.toContain(figure)
    }
  }
})

test('an address is notified only about its topics', async () => {
  const orders = await confirmed(maker, ['ORDERS'])
  const awards = await confirmed(maker, ['AWARDS'])
  const rfqId = await open()
  await awardTo(rfqId, await submittedOffer({}, rfqId))
  const [{ id: orderId }] = await market.db.owner<
    [{ id: string }]
  >`select id from sourcing.orders where rfq_id = ${rfqId}`
  await ordersOf(maker.administrator.client).act(orderId, 'confirm')
  expect(await collected(orders, 1)).toEqual(['orderStep'])
  expect(await collected(awards, 2)).toEqual(['ordered', 'awarded'])
})

test('an organization of several roles is not notified of its own actions', async () => {
  const { client } = ipOwner.administrator
  const address = await confirmed(ipOwner)
  const part = await publishedPart(client)
  const { id } = (await rfqsOf(client).create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
  await rfqsOf(client).act(id, 'publish')
  await seller.act((await seller.create(offerBody(id, parties.factory.id))).body.id, 'submit')
  expect(await collected(address, 1)).toEqual(['offered'])
})

test('an endpoint that the marketplace paused is announced with its page', async () => {
  const address = await confirmed(rival, ['ENDPOINTS'])
  const data = { endpointId: 'wh_1', orgId: rival.orgId }
  await emitters.webhooks.begin((tx) =>
    emitAny(tx, { type: 'webhooks.endpoint.paused', tenantId: rival.orgId, subject: 'wh_1', data }),
  )
  expect(await collected(address, 1)).toEqual(['endpointPaused'])
  await release()
  const mail = await mailTo(address.email)
  expect(mail.mail.subject).toBe('A webhook endpoint was paused, because its deliveries failed for three days')
  expect(linksIn(mail)).toEqual(['webhooks/wh_1'])
})

describe('not told', () => {
  const told = (data: object, more: { type?: string; time?: string } = {}) =>
    emitters.sourcing.begin((tx) =>
      emitAny(tx, { type: 'cases.created', tenantId: maker.orgId, subject: 'case_1', data, ...more }),
    )

  test('are an unconfirmed address, events before the confirmation and of the day before, and events of other systems', async () => {
    const unconfirmed = await add(maker, { email: `${crypto.randomUUID()}@example.org` })
    const rfqId = await open()
    const address = await confirmed(maker, ['INVITATIONS'])
    const cause = { event: 'sourcing.rfq.published', id: rfqId }
    await told({ case: { rfqId }, cause }, { time: inHours(-25) })
    await told({ case: 'of another system' })
    await told({ case: { rfqId: '../../login?next=https://evil.example' }, cause })
    await told({ case: { rfqId: 'rfq_of_no_relation' }, cause })
    await open()
    expect(await collected(address, 1)).toEqual(['invited'])
    expect(await collected(unconfirmed, 0)).toEqual([])
    expect(await market.db.owner`select from organization.dead_letters`).toHaveLength(0)
    await remove(maker, unconfirmed.id)
  })
})

test('beyond MAIL_HOURLY_MAX notifications are collected until the next hour, and other organizations are notified', async () => {
  const busy = await confirmed(maker)
  const other = await confirmed(rival)
  const { owner } = market.db
  await owner`
    insert into organization.mails
      (id, org_id, kind, address_id, state, created_at, sealed_at, expires_at, finished_at)
    select 'limit_' || gen_random_uuid(), ${maker.orgId}, 'NOTICE', 'maddr_1', 'SENT', now(), now(), now(), now()
    from generate_series(1, 100)`
  await open(both)
  await collected(busy, 1)
  await collected(other, 1)
  await release()
  await mailTo(other.email)
  await open(both)
  expect(await collected(busy, 2)).toEqual(['invited', 'invited'])
  expect(server.to(busy.email)).toEqual([])
  await owner`update organization.mails set sealed_at = now() - interval '61 minutes' where id like 'limit_%'`
  await release()
  expect((await mailTo(busy.email)).mail.subject).toEndWith(', and 1 more')
})

test('without a console the news do not link to it, and the address can still be removed', async () => {
  const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing'], {
    CONSOLE: 'false',
  })
  const { maker, open } = await offerParties(market)
  const address = await confirmed(maker)
  const rfqId = await open()
  const [{ serial_number: rfq }] = await market.db.owner<[{ serial_number: string }]>`
    select serial_number from sourcing.rfqs where id = ${rfqId}`
  await collected(address, 1)
  await release()
  const { mail } = (await server.arrived(address.email, 1))[0] as ReceivedMail
  expect(mail.subject).toStartWith(`You are invited to quote for RFQ ${rfq}`)
  expect(mail.html).toContain(`<li>You are invited to quote for RFQ ${rfq}`)
  expect(`${mail.text}${mail.html}`).not.toContain('/console')
  expect(mail.text).toContain(`Remove this address: ${PUBLIC_URL}/mail-address#remove=`)
})

test('a mail lists 50 news, and counts the others', async () => {
  const address = await confirmed(maker)
  await open()
  await collected(address, 1)
  await market.db.owner`
    update organization.mails m set items = (select jsonb_agg(m.items -> 0 order by n) from generate_series(1, 50) n)
    where address_id = ${address.id} and state = 'PENDING'`
  await open()
  await open()
  await until(async () => {
    const [row] = await market.db.owner<[{ omitted: number }]>`
      select omitted from organization.mails where address_id = ${address.id} and state = 'PENDING'`
    return row.omitted === 2
  })
  await release()
  const mail = await mailTo(address.email)
  expect(mail.mail.subject).toEndWith(', and 51 more')
  expect(linksIn(mail)).toHaveLength(50)
  expect(mail.mail.text).toContain(`And 2 more\n${PUBLIC_URL}/console`)
})

test('a mail that has room for one more item takes one of several at once, and counts the others', async () => {
  const { owner } = market.db
  const to = { orgId: maker.orgId, recipientId: `maddr_${crypto.randomUUID()}` }
  const noticesOf = (from: number, count: number): Notice[] =>
    Array.from({ length: count }, (_, n) => ({ kind: 'cancelled', time: inHours(0), rfqId: `rfq_${from + n}` }))
  const append = (items: Notice[]) =>
    owner.begin((tx) =>
      appendItems(tx, 'address_id', [{ id: newId('mail'), ...to, items }], 60 * 60 * 1000, inHours(0)),
    )
  await append(noticesOf(1, 49))
  // The mail has the first two of these, and room for the third.
  await append(noticesOf(48, 10))
  await append(noticesOf(1, 50))
  const [row] = await owner<[{ ids: string[]; omitted: number }]>`
    select array(select item ->> 'rfqId' from jsonb_array_elements(items) item) as ids, omitted
    from organization.mails where address_id = ${to.recipientId}`
  expect(row.ids).toEqual(Array.from({ length: 50 }, (_, n) => `rfq_${n + 1}`))
  expect(row.omitted).toBe(7)
  await owner`delete from organization.mails where address_id = ${to.recipientId}`
})
