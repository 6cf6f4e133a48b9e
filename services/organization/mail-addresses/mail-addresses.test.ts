import { describe, expect, test } from 'bun:test'
import type { MailAddress } from '../../../proto/http/organization/mail-addresses.ts'
import { MAIL_ADDRESSES, marketplaceWithMail, newAddress, PUBLIC_URL, tokenIn } from '../../testing/mail/market.ts'
import { headerOf, type ReceivedMail } from '../../testing/mail/server.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { entriesOf, eventsOf, newPerson, type Page, type Problem } from '../../testing/people.ts'

const { market, server, add, confirm, confirmed } = await marketplaceWithMail()
const org = await market.organization(['CONSUMER'], { name: 'Nordhavn Shipping' })
const other = await market.organization(['CONSUMER'])
const { client } = org.administrator

const create = (body: object, by = client) => by.post<MailAddress & Problem>(MAIL_ADDRESSES, body)
const read = async (id: string) => (await client.get<MailAddress>(`${MAIL_ADDRESSES}/${id}`)).status
const remove = (id: string, by = client) => by.send('DELETE', `${MAIL_ADDRESSES}/${id}`)
const resend = (id: string, by = client) => by.post<MailAddress & Problem>(`${MAIL_ADDRESSES}/${id}/send-confirmation`)
const introspect = async (token: string): Promise<[number, unknown]> => {
  const { status, body } = await market.anonymous.post(`${MAIL_ADDRESSES}/introspect`, { token })
  return [status, body]
}
const confirmationOf = async ({ email }: MailAddress) => (await server.arrived(email))[0] as ReceivedMail

describe('an address', () => {
  test('is notified about everything by default, and about nothing before its owner has confirmed it', async () => {
    const email = newAddress()
    const { status, body } = await create({ email })
    expect(status).toBe(201)
    expect<object>(body).toEqual({
      id: expect.stringMatching(/^maddr_/),
      email,
      topics: ['INVITATIONS', 'OFFERS', 'AWARDS', 'ORDERS', 'CASES', 'ENDPOINTS'],
      confirmed: false,
      createdTime: expect.any(String),
    })
    const mail = await confirmationOf(body)
    expect(mail.from).toBe('no-reply@market.example.com')
    expect(mail.mail.subject).toBe('Confirm your address')
    expect(headerOf(mail, 'Auto-Submitted')).toBe('auto-generated')
    const token = tokenIn(mail, `${PUBLIC_URL}/mail-address#confirm=`)
    expect(await introspect(token)).toEqual([200, { email, organizationName: 'Nordhavn Shipping' }])
    expect((await confirm(token)).status).toBe(204)
    expect<object>((await client.get<MailAddress>(`${MAIL_ADDRESSES}/${body.id}`)).body).toEqual({
      ...body,
      confirmed: true,
      confirmedTime: expect.any(String),
    })
    expect([(await confirm(token)).status, (await introspect(token))[0]]).toEqual([404, 404])
    expect(await eventsOf(market, body.id)).toEqual(Array(2).fill('organization.mailAddress.changed'))
    const [entry] = await entriesOf(market, org.orgId, 'mailAddress.create')
    expect(entry?.request).toEqual({ mailAddressId: body.id })
    // The owner of the address may be no user.
    const confirmations = await entriesOf(market, org.orgId, 'mailAddress.confirm')
    expect<object[]>([...confirmations]).toEqual([
      { success: true, error: null, actor_id: org.administrator.userId, request: { mailAddressId: body.id } },
    ])
    expect((await remove(body.id)).status).toBe(204)
    expect(await read(body.id)).toBe(404)
  })

  test('is confirmed within 72 hours, and removed after them', async () => {
    const address = await add(org, { email: newAddress() })
    const token = tokenIn(await confirmationOf(address), '#confirm=')
    await market.db.owner`
      update organization.mail_addresses set confirmable_until = confirmable_until - interval '72 hours' where id = ${address.id}`
    expect([(await confirm(token)).status, (await introspect(token))[0]]).toEqual([404, 404])
    await remove(address.id)
  })

  test('gets a new link on request, which voids the earlier one and works for another 72 hours', async () => {
    const address = await add(org, { email: newAddress() })
    const first = tokenIn(await confirmationOf(address), '#confirm=')
    await market.db.owner`
      update organization.mail_addresses set confirmable_until = now() - interval '1 minute' where id = ${address.id}`
    const again = await resend(address.id)
    expect<unknown[]>([again.status, again.body]).toEqual([200, address])
    const second = tokenIn((await server.arrived(address.email, 2))[1] as ReceivedMail, '#confirm=')
    await market.db.owner`
      update organization.mail_addresses set confirmable_until = confirmable_until - interval '71 hours 59 minutes'
      where id = ${address.id}`
    expect([(await confirm(first)).status, (await confirm(second)).status]).toEqual([404, 204])
    const refused = await resend(address.id)
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
    const entries = await entriesOf(market, org.orgId, 'mailAddress.sendConfirmation')
    expect(entries.map(({ success, request }) => [success, request])).toEqual([
      [true, { id: address.id }],
      [false, { id: address.id }],
    ])
    await remove(address.id)
  })

  test('has the topics that a PATCH names, in the order of the contract', async () => {
    const { id } = await add(org, { email: newAddress(), topics: ['ORDERS'] })
    const patch = (body: object) => client.send<MailAddress>('PATCH', `${MAIL_ADDRESSES}/${id}`, { body })
    expect((await patch({ topics: ['OFFERS', 'INVITATIONS', 'OFFERS'] })).body.topics).toEqual([
      'INVITATIONS',
      'OFFERS',
    ])
    expect([(await patch({ topics: [] })).status, (await patch({ topics: ['PRICES'] })).status]).toEqual([400, 400])
    await remove(id)
  })

  test.each(['no address', 'a@b\r\nBcc: c@d', 'x@y\u202e'])('%p is 400', async (email) => {
    expect((await create({ email })).status).toBe(400)
  })

  test('that the organization has in another spelling is 409, and another organization may have it', async () => {
    const { id, email } = await add(org, { email: newAddress() })
    expect((await create({ email: email.toUpperCase() })).body.code).toBe('conflict')
    expect((await create({ email }, other.administrator.client)).status).toBe(201)
    await remove(id)
  })

  test('is that of the organization: another one cannot read, change or remove it', async () => {
    const { id } = await add(org, { email: newAddress() })
    const stranger = other.administrator.client
    const path = `${MAIL_ADDRESSES}/${id}`
    expect((await stranger.get(path)).status).toBe(404)
    expect((await stranger.send('PATCH', path, { body: { topics: ['ORDERS'] } })).status).toBe(404)
    expect((await remove(id, stranger)).status).toBe(404)
    expect((await resend(id, stranger)).status).toBe(404)
    const listed = (await stranger.get<Page<MailAddress>>(MAIL_ADDRESSES)).body.items
    expect(listed.map((one) => one.id)).not.toContain(id)
    await remove(id)
  })

  test('needs org:admin', async () => {
    const { client: manager } = await org.member(['user:manage'])
    const { id } = await add(org, { email: newAddress() })
    expect((await resend(id, manager)).status).toBe(403)
    await remove(id)
    expect((await create({ email: newAddress() }, manager)).status).toBe(403)
    expect((await manager.get(MAIL_ADDRESSES)).status).toBe(403)
  })
})

describe('limits', () => {
  test('the eleventh address is 409', async () => {
    const full = await market.organization(['CONSUMER'])
    for (let n = 0; n < 10; n++) await add(full, { email: newAddress() })
    expect((await create({ email: newAddress() }, full.administrator.client)).body.code).toBe('limit_reached')
  })

  test('the sixth link to one recipient within an hour is 409, whichever organizations cause it', async () => {
    const victim = newAddress()
    for (let n = 0; n < 5; n++) {
      const { id } = await add(n % 2 ? org : other, { email: victim })
      await remove(id, (n % 2 ? org : other).administrator.client)
    }
    const refused = await create({ email: victim })
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    await market.db.owner`update organization.mails set created_at = created_at - interval '1 hour'`
    const { body } = await create({ email: victim })
    await remove(body.id)
  })

  test('the fourth link of one organization to a recipient within an hour is 409, and another one still sends', async () => {
    const victim = newAddress()
    for (let n = 0; n < 3; n++) await remove((await add(org, { email: victim })).id)
    const refused = await create({ email: victim })
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    const invited = await other.administrator.client.post('/flows/v1/users', newPerson({ email: victim, mail: true }))
    expect(invited.status).toBe(201)
  })

  test('a confirmation that is sent again counts, and a refused one leaves the link as it is', async () => {
    const address = await add(org, { email: newAddress() })
    const link = () => market.db.owner`
      select confirmation_hash, confirmable_until from organization.mail_addresses where id = ${address.id}`
    for (let n = 0; n < 2; n++) expect((await resend(address.id)).status).toBe(200)
    const before = await link()
    const refused = await resend(address.id)
    expect([refused.status, refused.body.code]).toEqual([409, 'limit_reached'])
    expect<object[]>([...(await link())]).toEqual([...before])
    await remove(address.id)
  })
})

describe('unsubscribing', () => {
  const unsubscribe = (token: string, init: RequestInit = { method: 'POST' }) =>
    fetch(`${market.url}/flows/v1/unsubscriptions?token=${token}`, init)

  test('with the form of RFC 8058 removes the address, and a repetition succeeds', async () => {
    const { id, email, unsubscribeToken: token } = await confirmed(org)
    expect(await introspect(token)).toEqual([200, { email, organizationName: 'Nordhavn Shipping' }])
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    }
    expect((await unsubscribe(token, form)).status).toBe(204)
    expect(await read(id)).toBe(404)
    expect((await unsubscribe(token, form)).status).toBe(204)
    expect(await eventsOf(market, id)).toEqual(['organization.mailAddress.changed'])
  })

  test('with GET changes nothing, because scanners open the links of mails', async () => {
    const { id, unsubscribeToken: token } = await confirmed(org)
    expect((await unsubscribe(token, { method: 'GET' })).status).toBe(405)
    expect(await read(id)).toBe(200)
    expect((await unsubscribe(token)).status).toBe(204)
    expect(await read(id)).toBe(404)
  })
})

test('anonymising a user removes the address that the organization has of the user', async () => {
  const { userId, email } = await org.member([])
  const { id } = await add(org, { email })
  expect((await client.post(`/flows/v1/users/${userId}/anonymise`)).status).toBe(200)
  expect(await read(id)).toBe(404)
})

test('a marketplace without SMTP_URL refuses addresses with 409', async () => {
  const silent = await marketplaceOf([])
  const { administrator } = await silent.organization(['CONSUMER'])
  const refused = await create({ email: newAddress() }, administrator.client)
  expect([refused.status, refused.body.code]).toEqual([409, 'mail_unavailable'])
  expect((await administrator.client.get<Page<MailAddress>>(MAIL_ADDRESSES)).body.items).toEqual([])
})
