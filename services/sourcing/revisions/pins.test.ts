import { expect, test } from 'bun:test'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { publishedPart, rfqBody } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const { owner } = market.db
const { ipOwner, maker, buyer } = await offerParties(market)

/** A part, and an RFQ for it whose publication has pinned its revision. */
async function pinned(): Promise<string> {
  const partId = await publishedPart(ipOwner.administrator.client)
  expect(await publish(partId)).toBe(200)
  return partId
}

async function publish(partId: string): Promise<number> {
  const { body } = await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
  return (await buyer.act(body.id, 'publish')).status
}

const checkedInDays = async (partId: string) => {
  const rows = await owner<{ days: number }[]>`
    select round(extract(epoch from due_at - now()) / 86400)::integer as days
    from sourcing.part_revisions where part_id = ${partId}`
  return rows.map(({ days }) => days)
}

test('a publication keeps the revision for 90 days, and a later one leaves it as it is', async () => {
  const partId = await pinned()
  expect(await checkedInDays(partId)).toEqual([90])
  await owner`update sourcing.part_revisions set due_at = now() + interval '30 days' where part_id = ${partId}`
  expect(await publish(partId)).toBe(200)
  expect(await checkedInDays(partId)).toEqual([30])
})

test.each(['23 hours', '-1 hours'])(
  'a revision that is due in %s is kept for 90 days by a publication',
  async (due) => {
    const partId = await pinned()
    await owner`update sourcing.part_revisions set due_at = now() + ${due}::interval where part_id = ${partId}`
    expect(await publish(partId)).toBe(200)
    expect(await checkedInDays(partId)).toEqual([90])
  },
)

test('a publication does not wait for another transaction that has locked the pinned revision', async () => {
  const partId = await pinned()
  await owner.begin(async (tx) => {
    await tx`select from sourcing.part_revisions where part_id = ${partId} for update`
    expect(await publish(partId)).toBe(200)
  })
})
