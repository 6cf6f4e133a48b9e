import { describe, expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { packageParties, packagesOf } from '../../testing/packages.ts'
import type { Page } from '../../testing/people.ts'
import { publishedPart, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { ipOwner, maker, rival, rfqs, body, open, makers } = await packageParties(market)

describe('packageId of an RFQ', () => {
  test('is read by the consumer and by invitees, not by an IP owner that is neither', async () => {
    const { id, lines } = await open()
    const [first = ''] = lines.map(({ rfqId }) => rfqId)
    expect((await rfqs.read(first)).body.packageId).toBe(id)
    expect((await rfqsOf(rival.administrator.client).read(first)).body.packageId).toBe(id)
    const owned = await rfqsOf(ipOwner.administrator.client).read(first)
    expect(owned.status).toBe(200)
    expect(owned.text).not.toContain(id)
    const history = await ipOwner.administrator.client.get<Page<object>>(`/v1/rfqs/${first}/history`)
    expect(history.body.items).not.toEqual([])
    expect(history.text).not.toContain(id)
  })

  test('is read by an IP owner that is invited itself', async () => {
    const both = await market.organization(['IP_OWNER', 'MANUFACTURER'])
    const partId = await publishedPart(both.administrator.client)
    const { id, lines } = await open({ lines: [{ partId, quantities: [5] }], manufacturerIds: [both.orgId] })
    expect((await rfqsOf(both.administrator.client).read(lines[0]?.rfqId ?? '')).body.packageId).toBe(id)
  })

  test('is not in the outline before the confidentiality terms are accepted', async () => {
    const own = await market.organization(['CONSUMER', 'IP_OWNER'])
    const partId = await publishedPart(own.administrator.client, { internal: true })
    const mine = packagesOf(own.administrator.client)
    const { id } = (
      await mine.create(body({ lines: [{ partId, quantities: [5] }], confidentialityTerms: 'Do not pass it on.' }))
    ).body
    const [rfqId = ''] = (await mine.act(id, 'publish')).body.lines.map((line) => line.rfqId)
    expect((await rfqsOf(maker.administrator.client).read(rfqId)).text).not.toContain(id)
    expect((await makers.read(id)).body.lines).toMatchObject([{ rfqId, awaitsAcceptance: true }])
    const accepted = await makers.act(id, 'accept-terms')
    expect(accepted.status).toBe(200)
    expect(accepted.body.lines[0]).not.toHaveProperty('awaitsAcceptance')
    expect((await rfqsOf(maker.administrator.client).read(rfqId)).body.packageId).toBe(id)
    expect((await makers.act(id, 'accept-terms')).status).toBe(409)
    expect((await mine.act(id, 'accept-terms')).status).toBe(404)
  })
})
