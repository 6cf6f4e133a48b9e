import { describe, expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { marketplaceWithMail } from '../../testing/mail/market.ts'
import { headerOf, type ReceivedMail } from '../../testing/mail/server.ts'
import { offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { insertAssignedOrder, ordersOf } from '../../testing/orders.ts'
import { rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing'])
const { consumer, ipOwner, maker, partId, factory, buyer } = await offerParties(market)
const OWN = '/flows/v1/me/notification-settings'
const SETTINGS = '/flows/v1/notification-settings'

type Organization = typeof maker
const newsOf = ({ userId }: { userId: string }, count: number) => collected({ id: userId }, count)
const mailTo = async (email: string) => ((await server.arrived(email, 1))[0] as ReceivedMail).mail
const set = (org: Organization, administrators: boolean) =>
  org.administrator.client.send('PATCH', SETTINGS, { body: { administrators } })

/** An RFQ that a colleague of the consumer has published, with an offer that a colleague of the maker has submitted. */
async function offeredByColleagues() {
  const [buying, quoting] = [await consumer.member('Buyer'), await maker.member('Manufacturer')]
  const rfqs = rfqsOf(buying.client)
  const { id: rfqId } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
  await rfqs.act(rfqId, 'publish')
  const offers = offersOf(quoting.client)
  const { id: offerId } = (await offers.create(offerBody(rfqId, factory.id))).body
  await offers.act(offerId, 'submit')
  return { buying, quoting, rfqId, offerId }
}

describe('administrators', () => {
  test('of an organization without an address are notified, and other users are not', async () => {
    const invited = await market.organization(['MANUFACTURER'])
    const colleague = await invited.member('Manufacturer')
    const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [invited.orgId] }))).body
    await buyer.act(id, 'publish')
    expect(await newsOf(invited.administrator, 1)).toEqual(['invited'])
    expect(await newsOf(colleague, 0)).toEqual([])
    await release()
    const mail = await mailTo(invited.administrator.email)
    expect(mail.subject).toStartWith('You are invited to quote for RFQ R-')
    expect(mail.text).toContain('Your notifications: https://market.example.com/console/account')
  })

  test('of an organization with a confirmed address are not', async () => {
    const invited = await market.organization(['MANUFACTURER'])
    const address = await confirmed(invited)
    const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [invited.orgId] }))).body
    await buyer.act(id, 'publish')
    expect(await collected(address, 1)).toEqual(['invited'])
    expect(await newsOf(invited.administrator, 0)).toEqual([])
  })

  test('of an organization that declined are not, until it wants them again', async () => {
    const invited = await market.organization(['MANUFACTURER'])
    expect((await set(invited, false)).status).toBe(200)
    const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [invited.orgId] }))).body
    await buyer.act(id, 'publish')
    const witness = await confirmed(maker)
    const other = (await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
    await buyer.act(other.id, 'publish')
    // The events are read in order, so the first ones were read, too.
    await collected(witness, 1)
    expect(await newsOf(invited.administrator, 0)).toEqual([])
    expect((await set(invited, true)).body).toEqual({ administrators: true })
    await buyer.act(id, 'close')
    expect(await newsOf(invited.administrator, 1)).toEqual(['closed'])
    await market.db.owner`delete from organization.mail_addresses where id = ${witness.id}`
  })
})

describe('the person who created a record', () => {
  test('is notified of it although the organization has an address, and colleagues are not', async () => {
    const [bought, made] = [await confirmed(consumer), await confirmed(maker)]
    const uninvolved = [await consumer.member('Buyer'), await maker.member('Manufacturer')]
    const { buying, quoting, rfqId, offerId } = await offeredByColleagues()
    await buyer.act(rfqId, 'close')
    await awardsOf(consumer.administrator.client).award(rfqId, { awards: [{ offerId, quantity: 10 }] })
    const [{ id: orderId }] = await market.db.owner<[{ id: string }]>`
      select id from sourcing.orders where rfq_id = ${rfqId}`
    await ordersOf(maker.administrator.client).act(orderId, 'confirm')
    expect(await newsOf(buying, 4)).toEqual(['offered', 'toCompare', 'ordered', 'orderStep'])
    // The invitation is older than the offer, whose creator it may still reach.
    const quoted = await until(async () => {
      const news = (await newsOf(quoting, 0)).filter((kind) => kind !== 'invited')
      return news.length >= 4 && news
    })
    expect(quoted).toEqual(['closed', 'ordered', 'awarded', 'orderStep'])
    for (const person of [...uninvolved, maker.administrator]) {
      expect(await newsOf(person, 0)).toEqual([])
    }
    await market.db.owner`delete from organization.mail_addresses where id = any(${[bought.id, made.id]})`
  })

  test('gets one mail where an address of the organization is the same', async () => {
    const person = await consumer.member('Buyer')
    const address = await confirmed(consumer, ['OFFERS'])
    await market.db.owner`update organization.mail_addresses set email = ${person.email} where id = ${address.id}`
    const rfqs = rfqsOf(person.client)
    const { id } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
    await rfqs.act(id, 'publish')
    await rfqs.act(id, 'close')
    expect(await collected(address, 1)).toEqual(['toCompare'])
    expect(await newsOf(person, 0)).toEqual([])
    await market.db.owner`delete from organization.mail_addresses where id = ${address.id}`
  })

  test('who was deactivated gets no mail that was collected before', async () => {
    const { buying } = await offeredByColleagues()
    await newsOf(buying, 1)
    await consumer.administrator.client.post(`/flows/v1/users/${buying.userId}/deactivate`)
    const { buying: witness } = await offeredByColleagues()
    await newsOf(witness, 1)
    await release()
    await server.arrived(witness.email, 1)
    expect(server.to(buying.email)).toEqual([])
  })

  test('of a case is notified when another organization closes it or adds to it, and a party when it is opened', async () => {
    const order = { consumerOrgId: consumer.orgId, ipOwnerOrgId: ipOwner.orgId, partId, factoryId: factory.id }
    const orderId = await insertAssignedOrder(market.db.owner, {
      ...order,
      manufacturerOrgId: maker.orgId,
      sellerOrgId: maker.orgId,
    })
    const person = await consumer.member('Buyer')
    const address = await confirmed(maker, ['CASES'])
    const [own, others] = [casesOf(person.client), casesOf(maker.administrator.client)]
    const { id } = (await own.create(qualityCase({ orderId }))).body
    await own.tasks(id).create({ title: 'Measure the flange' })
    expect(await collected(address, 2)).toEqual(['caseOpened', 'caseTask'])
    const added = [
      await others.tasks(id).create({ title: 'Send a report' }),
      await others
        .expenses(id)
        .create({ description: 'Report', amount: { amount: '10', currency: 'EUR' }, incurredDate: '2026-04-30' }),
    ]
    expect(added.map(({ status }) => status)).toEqual([201, 201])
    expect((await others.act(id, 'close')).status).toBe(200)
    expect(await newsOf(person, 3)).toEqual(['caseTask', 'caseExpense', 'caseClosed'])
    await release()
    const mail = await mailTo(person.email)
    expect(mail.text).toContain(`Another organization closed a case\nhttps://market.example.com/console/cases/${id}`)
    await market.db.owner`delete from organization.mail_addresses where id = ${address.id}`
  })
})

describe('the own setting', () => {
  test('switched off, ends the mails that wait and those to come', async () => {
    const { buying, rfqId } = await offeredByColleagues()
    await newsOf(buying, 1)
    const answer = await buying.client.send<object>('PATCH', OWN, { body: { mail: false } })
    expect([answer.status, answer.body]).toEqual([200, { mail: false }])
    expect((await buying.client.get<object>(OWN)).body).toEqual({ mail: false })
    const { quoting } = await offeredByColleagues()
    await buyer.act(rfqId, 'close')
    const next = await offeredByColleagues()
    await newsOf(next.buying, 1)
    expect([await newsOf(buying, 0), quoting.userId.length > 0]).toEqual([[], true])
  })

  test('is switched off by the link of a mail with one click; a repetition changes nothing', async () => {
    const { buying } = await offeredByColleagues()
    await newsOf(buying, 1)
    await release()
    const [mail] = await server.arrived(buying.email, 1)
    if (!mail) throw new Error('no mail')
    const url = headerOf(mail, 'List-Unsubscribe')?.match(/^<https:\/\/market\.example\.com(.*)>$/)?.[1] as string
    const token = new URL(url, market.url).searchParams.get('token')
    const introspected = await market.anonymous.post<object>('/flows/v1/mail-addresses/introspect', { token })
    expect(introspected.body).toMatchObject({ email: buying.email })
    for (let round = 0; round < 2; round++) {
      expect((await fetch(market.url + url, { method: 'POST' })).status).toBe(204)
      expect((await buying.client.get<object>(OWN)).body).toEqual({ mail: false })
    }
    const entries = await market.db.owner`
      select actor_id from organization.audit_log where procedure = 'mailAddress.unsubscribe' and actor_id = ${buying.userId}`
    expect(entries).toHaveLength(1)
  })
})
