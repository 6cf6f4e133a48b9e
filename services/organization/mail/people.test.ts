import { describe, expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithMail, tokenIn } from '../../testing/mail/market.ts'
import { headerOf, type ReceivedMail } from '../../testing/mail/server.ts'
import { offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { insertAssignedOrder, ordersOf } from '../../testing/orders.ts'
import { newPerson } from '../../testing/people.ts'
import { inHours, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { TEST_PASSWORD } from '../../testing/sign-in.ts'
import { until } from '../../testing/until.ts'

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing'])
const { consumer, ipOwner, maker, partId, factory, buyer } = await offerParties(market)
const OWN = '/flows/v1/me/notification-settings'
const SETTINGS = '/flows/v1/notification-settings'

type Organization = typeof maker
/** As if the person had used a link that was mailed to the present address. */
const prove = async <Person extends { userId: string }>(person: Person): Promise<Person> => {
  await market.db.owner`
    insert into organization.user_notifications (user_id, proved_email_key)
    select id, email_key from organization.users where id = ${person.userId} on conflict do nothing`
  return person
}
const newsOf = ({ userId }: { userId: string }, count: number) => collected({ id: userId }, count)
const mailTo = async (email: string) => ((await server.arrived(email, 1))[0] as ReceivedMail).mail
const set = (org: Organization, administrators: boolean) =>
  org.administrator.client.send('PATCH', SETTINGS, { body: { administrators } })

/** An RFQ that a colleague of the consumer has published, with an offer that a colleague of the maker has submitted. */
async function offeredByColleagues() {
  const [buying, quoting] = [
    await prove(await consumer.member('Buyer')),
    await prove(await maker.member('Manufacturer')),
  ]
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
    await prove(invited.administrator)
    const colleague = await prove(await invited.member('Manufacturer'))
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
    await prove(invited.administrator)
    const address = await confirmed(invited)
    const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [invited.orgId] }))).body
    await buyer.act(id, 'publish')
    expect(await collected(address, 1)).toEqual(['invited'])
    expect(await newsOf(invited.administrator, 0)).toEqual([])
  })

  test('of an organization that declined are not, until it wants them again', async () => {
    const invited = await market.organization(['MANUFACTURER'])
    await prove(invited.administrator)
    expect((await set(invited, false)).status).toBe(200)
    const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [invited.orgId] }))).body
    await buyer.act(id, 'publish')
    const witness = await confirmed(maker)
    const other = (await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
    await buyer.act(other.id, 'publish')
    // The events are read in order, so the first ones were also read.
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
    const uninvolved = [await prove(await consumer.member('Buyer')), await prove(await maker.member('Manufacturer'))]
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
    const person = await prove(await consumer.member('Buyer'))
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
    const person = await prove(await consumer.member('Buyer'))
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

describe('an address that its owner has not proved', () => {
  const invite = async (orgId: string) => {
    const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [orgId] }))).body
    await buyer.act(id, 'publish')
    return id
  }
  const tokenFrom = async (email: string, before: string, count = 1) => {
    const mail = (await server.arrived(email, count)).at(-1)
    if (!mail) throw new Error('no mail')
    return tokenIn(mail, before)
  }
  const provedOf = async ({ client }: { client: ApiClient }) => (await client.get<{ proved: boolean }>(OWN)).body.proved
  /** Waits until the events so far have been read. */
  const isRead = async () => {
    const witness = await market.organization(['MANUFACTURER'])
    await prove(witness.administrator)
    await invite(witness.orgId)
    await newsOf(witness.administrator, 1)
  }

  test('receives nothing, no matter who activated the account, until the link of a confirmation is used', async () => {
    const invited = await market.organization(['MANUFACTURER'])
    const { administrator } = invited
    await invite(invited.orgId)
    await isRead()
    expect([await newsOf(administrator, 0), await provedOf(administrator)]).toEqual([[], false])
    for (let n = 0; n < 2; n++) {
      expect((await administrator.client.post(`${OWN}/send-confirmation`)).status).toBe(200)
      await release()
      await server.arrived(administrator.email, n + 1)
    }
    const [first, second] = [
      tokenIn((await server.arrived(administrator.email, 1))[0] as ReceivedMail, '/mail-address#confirm='),
      await tokenFrom(administrator.email, '/mail-address#confirm=', 2),
    ]
    const confirm = async (token: string) =>
      (await market.anonymous.post('/flows/v1/mail-addresses/confirm', { token })).status
    expect([await confirm(first), await confirm(second), await confirm(second)]).toEqual([404, 204, 404])
    expect(await provedOf(administrator)).toBe(true)
    await invite(invited.orgId)
    expect(await newsOf(administrator, 1)).toEqual(['invited'])
    expect((await administrator.client.post(`${OWN}/send-confirmation`)).status).toBe(409)
  })

  test('is proved by a mailed link for a password, and not by one that an administrator passed on', async () => {
    const [mailed, passedOn] = [newPerson({ mail: true }), newPerson()]
    const { client } = maker.administrator
    await client.post('/flows/v1/users', mailed)
    const { body } = await client.post<{ activationUrl: string }>('/flows/v1/users', passedOn)
    await release()
    const tokens = [await tokenFrom(mailed.email, '/activate#'), body.activationUrl.split('#')[1]]
    const proofs = []
    for (const [n, { email }] of [mailed, passedOn].entries()) {
      const person = new ApiClient(market.url)
      await person.activate(tokens[n] ?? '', TEST_PASSWORD)
      await person.signIn(email, TEST_PASSWORD)
      proofs.push(await provedOf({ client: person }))
    }
    expect(proofs).toEqual([true, false])
  })

  test('another address of a user is not, and a link to the earlier one proves nothing', async () => {
    const person = await prove(await maker.member('Manufacturer'))
    const patch = (email: string) =>
      maker.administrator.client.send('PATCH', `/flows/v1/users/${person.userId}`, { body: { email } })
    await patch(`${crypto.randomUUID()}@example.org`)
    expect(await provedOf(person)).toBe(false)
    await patch(person.email)
    await market.db
      .owner`update organization.user_notifications set proved_email_key = null where user_id = ${person.userId}`
    await person.client.post(`${OWN}/send-confirmation`)
    await release()
    const token = await tokenFrom(person.email, '/mail-address#confirm=')
    await patch(`${crypto.randomUUID()}@example.org`)
    expect((await market.anonymous.post('/flows/v1/mail-addresses/confirm', { token })).status).toBe(404)
    expect(await provedOf(person)).toBe(false)
  })
})

test('what happens again to a record is mentioned once in a mail, and each offer is', async () => {
  const address = await confirmed(maker)
  const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
  await buyer.act(id, 'publish')
  for (let n = 0; n < 3; n++) {
    await buyer.act(id, 'close')
    await buyer.act(id, 'reopen', { expireTime: inHours(48 + n) })
  }
  await buyer.act(id, 'cancel', { reason: 'Not needed.' })
  expect(await collected(address, 4)).toEqual(['invited', 'closed', 'reopened', 'cancelled'])
  await market.db.owner`delete from organization.mail_addresses where id = ${address.id}`
})

describe('the own setting', () => {
  test('switched off, ends the mails that wait and those to come', async () => {
    const { buying, rfqId } = await offeredByColleagues()
    await newsOf(buying, 1)
    const answer = await buying.client.send<object>('PATCH', OWN, { body: { mail: false } })
    expect([answer.status, answer.body]).toEqual([200, { mail: false, proved: true, reachable: true }])
    expect((await buying.client.get<object>(OWN)).body).toMatchObject({ mail: false })
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
      expect((await buying.client.get<object>(OWN)).body).toMatchObject({ mail: false })
    }
    const entries = await market.db.owner`
      select actor_id from organization.audit_log where procedure = 'mailAddress.unsubscribe' and actor_id = ${buying.userId}`
    expect(entries).toHaveLength(1)
  })
})
