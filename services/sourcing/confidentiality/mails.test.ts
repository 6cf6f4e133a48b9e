import { expect, test } from 'bun:test'
import { confidentialParties, TERMS, termsOf } from '../../testing/confidentiality.ts'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceWithMail } from '../../testing/mail/market.ts'
import { packagesOf, rfqIdsOf } from '../../testing/packages.ts'
import { publishedPart, rfqsOf } from '../../testing/rfqs.ts'

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing', 'catalog'])
const { designer, buyer, owner, maker, rival, openForOwner } = await confidentialParties(market)

test('mails tell an invitee of a release of files, and no one of an acceptance; none tells more than the title', async () => {
  const [making, losing, buying, owning] = [
    await confirmed(maker),
    await confirmed(rival),
    await confirmed(buyer),
    await confirmed(owner),
  ]
  const { id } = await openForOwner()
  expect((await termsOf(maker.administrator.client).accept(id)).status).toBe(200)
  expect((await termsOf(owner.administrator.client).release(id, maker.orgId)).status).toBe(200)
  expect(await collected(making, 2)).toEqual(['invited', 'rfqFilesReleased'])
  expect(await collected(losing, 1)).toEqual(['invited'])
  expect([await collected(buying, 1), await collected(owning, 0)]).toEqual([['subscriptionGranted'], []])
  await release()
  for (const { email } of [making, losing]) {
    const text = (await server.arrived(email)).at(-1)?.mail.text ?? ''
    expect(text).toContain('(Impeller)')
    expect(text.toLowerCase()).not.toContain('secret')
  }
  const [mail] = (await server.arrived(making.email)).slice(-1)
  expect(mail?.mail.text).toContain('were released to you')
  expect(mail?.mail.text).toContain(`https://market.example.com/console/rfqs/${id}\n`)
})

test('neither mails nor the inbox name a package until the terms of its lines are accepted', async () => {
  const [making, declining] = [await confirmed(maker), await confirmed(rival)]
  const { client } = designer.administrator
  const packages = packagesOf(client)
  const lines = await Promise.all(
    ['Hub', 'Shaft'].map(async (title) => ({
      partId: await publishedPart(client, { title, internal: true }),
      quantities: [10],
    })),
  )
  const manufacturerIds = [maker.orgId, rival.orgId]
  const content = { title: 'Secret submarine', lines, manufacturerIds, confidentialityTerms: TERMS }
  const { body } = await packages.create({
    ...content,
    currency: 'EUR',
    deliveryRegionCode: 'DK',
    expireTime: '2040-01-02T03:04:05.000Z',
  })
  expect((await packages.act(body.id, 'publish')).status).toBe(200)
  const waiting = async () => {
    const { items } = (await inboxOf(maker.administrator.client).list('?kind=INVITATION&pageSize=50')).body
    return items.flatMap(({ record, title, count }) => (record.id === body.id ? [`${title} ${count}`] : [])).join()
  }
  expect(await collected(making, 1)).toEqual(['packageInvited'])
  await release()
  const [first] = await server.arrived(making.email, 1)
  expect(first?.mail.subject).toBe('You are invited to quote for 2 RFQs of a package, until 2040-01-02 03:04 UTC')
  expect(first?.raw).not.toContain('submarine')
  const [accepted = '', last = ''] = rfqIdsOf(body)
  expect(['Hub 2', 'Shaft 2']).toContain(await waiting())
  await termsOf(maker.administrator.client).accept(accepted)
  expect(['Hub 2', 'Shaft 2']).toContain(await waiting())
  await termsOf(maker.administrator.client).accept(last)
  expect(await waiting()).toBe('Secret submarine 2')
  await packages.act(body.id, 'amend', { requirements: 'X-ray.', reason: 'New.' })
  expect(await collected(making, 1)).toEqual(['packageAmended'])
  await release()
  const [, second] = await server.arrived(making.email, 2)
  expect(second?.mail.subject).toContain('RFQs of the package Secret submarine were amended')

  for (const id of rfqIdsOf(body)) await rfqsOf(rival.administrator.client).act(id, 'decline')
  await packages.act(body.id, 'cancel', { reason: 'Sunk.' })
  expect(await collected(declining, 1)).toEqual(['packageCancelled'])
  await release()
  const mails = await server.arrived(declining.email, 2)
  expect(mails.map(({ mail }) => mail.subject)).toEqual([
    'You are invited to quote for 2 RFQs of a package, until 2040-01-02 03:04 UTC',
    'RFQs of a package are cancelled',
  ])
})
