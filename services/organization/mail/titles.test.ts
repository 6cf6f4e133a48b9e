import { expect, test } from 'bun:test'
import { MAIL_ADDRESSES, marketplaceWithMail } from '../../testing/mail/market.ts'
import { headerOf, type ReceivedMail } from '../../testing/mail/server.ts'
import { offerParties } from '../../testing/offers.ts'
import { publishedPart, rfqBody } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

/* How mails name the part of an RFQ. */

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing'])
const { consumer, ipOwner, maker, buyer, open, seller, submittedOffer } = await offerParties(market)

const remove = (org: typeof maker, id: string) => org.administrator.client.send('DELETE', `${MAIL_ADDRESSES}/${id}`)
const mailTo = async (email: string) => (await server.arrived(email, 1)).at(-1) as ReceivedMail

test('an amendment tells the invited manufacturers, with the pinned title, and a reconfirmation the others', async () => {
  const [buying, making] = [await confirmed(consumer), await confirmed(maker)]
  const { client } = ipOwner.administrator
  const part = await publishedPart(client, { title: 'First title' })
  const rfqId = await open({ partId: part })
  const offerId = await submittedOffer({}, rfqId)
  await client.send('PATCH', `/flows/v1/parts/${part}`, { body: { title: 'Later title' } })
  await until(async () => (await buyer.read(rfqId)).body.partChanged === true, { what: 'the change of the part' })
  await buyer.act(rfqId, 'amend', { quantities: [20], reason: 'More are needed.' })
  await seller.act(offerId, 'reconfirm')
  expect(await collected(making, 2)).toEqual(['invited', 'amended'])
  expect(await collected(buying, 3)).toEqual(['offered', 'partChanged', 'offerReconfirmed'])
  await release()
  for (const address of [making, buying]) {
    const { mail } = await mailTo(address.email)
    expect(mail.text).toContain('(First title)')
    expect(mail.text).not.toContain('Later title')
  }
})

test('an amendment of the expiry alone is mailed as the extension, because it leaves offers current', async () => {
  const making = await confirmed(maker)
  const rfqId = await open()
  const offerId = await submittedOffer({}, rfqId)
  const { status } = await buyer.act(rfqId, 'amend', { expireTime: '2040-01-02T03:04:05.000Z', reason: 'Holidays.' })
  expect(status).toBe(200)
  expect((await seller.act(offerId, 'reconfirm')).status).toBe(409)
  expect(await collected(making, 2)).toEqual(['invited', 'extended'])
  await release()
  const { mail } = await mailTo(making.email)
  expect(mail.text).toContain('(Impeller) was extended, until 2040-01-02 03:04 UTC')
  expect(mail.text).not.toContain('amended')
})

test('a title that is markup is text in a mail', async () => {
  const title = '<img src=x onerror="alert(1)"> & <b>'
  const address = await confirmed(maker)
  const part = await publishedPart(ipOwner.administrator.client, { title })
  const { id } = (await buyer.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
  await buyer.act(id, 'publish')
  await collected(address, 1)
  await release()
  const { mail } = await mailTo(address.email)
  expect(mail.subject).toContain(`(${title})`)
  expect(mail.text).toContain(title)
  expect(mail.html).not.toContain('<img')
  expect(mail.html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &lt;b&gt;')
})

test('a title of another organization is no link in a mail', async () => {
  const making = await confirmed(maker)
  const part = await publishedPart(ipOwner.administrator.client, { title: 'Claim at https://prize.example.com/win' })
  const { id } = (await buyer.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
  await buyer.act(id, 'publish')
  await collected(making, 1)
  await release()
  const { mail } = await mailTo(making.email)
  expect(mail.subject).toContain('(Claim at https prize. example. com/win)')
  expect(`${mail.text}${mail.html}`).not.toContain('prize.example')
  await remove(maker, making.id)
})

test('a line break in a stored title begins no header', async () => {
  const address = await confirmed(maker)
  const part = await publishedPart(ipOwner.administrator.client)
  await open({ partId: part })
  const title = 'Pump\r\nBcc: victim@example.com\r\n\r\n<p>'
  await market.db.owner`
    update sourcing.part_revisions set content = ${JSON.stringify({ title })}::text::json where part_id = ${part}`
  await collected(address, 1)
  await release()
  const received = await mailTo(address.email)
  expect(received.mail.subject).toContain('(Pump Bcc: victim@example. com <p>)')
  expect(headerOf(received, 'Bcc')).toBeUndefined()
  expect(received.to).toEqual([address.email])
})
