import { expect, test } from 'bun:test'
import { marketplaceWithMail } from '../../testing/mail/market.ts'
import type { ReceivedMail } from '../../testing/mail/server.ts'
import { lineOffer, packageParties, rfqIdsOf } from '../../testing/packages.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing'])
const { consumer, ipOwner, maker, rival, partIds, factoryId, packages, draft, makers } = await packageParties(market)

const mailTo = async (email: string, count = 1) => (await server.arrived(email, count)).at(-1) as ReceivedMail
const linksIn = ({ mail }: ReceivedMail) =>
  [...(mail.text ?? '').matchAll(/^https:\/\/market\.example\.com\/console\/(.*)$/gm)].map(([, path]) => path)

test('a package of a hundred lines is one line of one mail for each maker, with its title and its own number of RFQs', async () => {
  const [asked, alsoAsked] = [await confirmed(maker), await confirmed(rival)]
  const [buying, owning] = [await confirmed(consumer), await confirmed(ipOwner)]
  const parts = await Promise.all(Array.from({ length: 100 }, () => publishedPart(ipOwner.administrator.client)))
  const lines = parts.map((partId, n) => ({
    partId,
    quantities: [10],
    ...(n === 0 && { manufacturerIds: [maker.orgId] }),
  }))
  const expireTime = inHours(48)
  const { id } = await draft({ title: 'Pump overhaul www.example.org', lines, expireTime })
  const published = await packages.act(id, 'publish')
  expect(published.status).toBe(200)
  // The publication has hundreds of events. One that follows them shows that all have been collected.
  const last = await market.organization(['MANUFACTURER'])
  const following = await confirmed(last)
  const rfqs = rfqsOf(consumer.administrator.client)
  const { body: rfq } = await rfqs.create(rfqBody(partIds[0] ?? '', { manufacturerIds: [last.orgId] }))
  await rfqs.act(rfq.id, 'publish')
  expect(await collected(following, 1)).toEqual(['invited'])
  expect(await collected(asked, 1)).toEqual(['packageInvited'])
  expect(await collected(alsoAsked, 1)).toEqual(['packageInvited'])
  await release()
  const until = `${expireTime.slice(0, 16).replace('T', ' ')} UTC`
  const first = await mailTo(asked.email)
  // Mail programs make no link of the title.
  expect(first.mail.subject).toBe(
    `You are invited to quote for 100 RFQs of the package Pump overhaul www. example. org, until ${until}`,
  )
  expect(linksIn(first)).toEqual([`packages/${id}`])
  const second = await mailTo(alsoAsked.email)
  expect(second.mail.subject).toContain('for 99 RFQs of the package Pump overhaul')
  expect(second.raw.length).toBeLessThan(5000)

  await packages.act(id, 'amend', { requirements: 'X-ray.', reason: 'New.' })
  expect(await collected(asked, 1)).toEqual(['packageAmended'])
  const [one = '', two = ''] = rfqIdsOf(published.body)
  const offer = { lines: [one, two].map((rfqId) => lineOffer(rfqId, factoryId, '10')), submit: true }
  expect((await makers.offer(id, offer)).status).toBe(200)
  expect(await collected(buying, 1)).toEqual(['packageOffered'])
  // An IP owner that is not invited is not notified of the package.
  expect(await collected(owning, 2)).toEqual(['offered', 'offered'])
  await release()
  const amended = await mailTo(asked.email, 2)
  expect(amended.mail.subject).toContain('RFQs of the package Pump overhaul www. example. org were amended')
  const told = await mailTo(owning.email)
  expect(told.raw).not.toContain('Pump overhaul')
  expect((await mailTo(buying.email)).mail.subject).toBe(
    'RFQs of the package Pump overhaul www. example. org have new offers',
  )
})
