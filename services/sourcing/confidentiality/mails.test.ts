import { expect, test } from 'bun:test'
import { confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { marketplaceWithMail } from '../../testing/mail/market.ts'

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing', 'catalog'])
const { buyer, owner, maker, rival, openForOwner } = await confidentialParties(market)

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
