import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { publishedPart, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { maker, buyer } = await rfqParties(market)

const delivery = { name: 'Skagen Pumps', lines: ['Havnevej 3'], locality: 'Skagen', regionCode: 'DK' }

test('the IP owner lists an RFQ as it reads it, as an invitee and as the consumer too', async () => {
  const org = await market.organization(['IP_OWNER', 'MANUFACTURER', 'CONSUMER'])
  const own = rfqsOf(org.administrator.client)
  const part = await publishedPart(org.administrator.client)
  const body = rfqBody(part, { manufacturerIds: [maker.orgId, org.orgId], delivery })
  for (const consumer of [buyer, own]) {
    const { id } = (await consumer.create(body)).body
    expect((await consumer.act(id, 'publish')).status).toBe(200)
    const { body: read } = await own.read(id)
    expect([read.invitation === undefined, read.delivery?.name]).toEqual(
      consumer === own ? [true, 'Skagen Pumps'] : [false, undefined],
    )
    for (const query of ['view=IP_OWNER', 'view=IP_OWNER&q=impeller', 'q=impeller', '']) {
      const { items } = (await own.list(`?${query}`)).body
      expect([query, items.find((item) => item.id === id)]).toEqual([query, read])
    }
  }
})
