import { describe, expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import { causeOf, confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceOf, type TestOrganization } from '../../testing/marketplace.ts'
import { ordersOf } from '../../testing/orders.ts'
import { entriesOf } from '../../testing/people.ts'
import { inHours, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing', 'catalog'])
const { designer, buyer, owner, maker, rival, stranger, rfqs, draft, open, openForOwner, act, groupsFor, offer } =
  await confidentialParties(market)
const { owner: sql } = market.db

const by = ({ administrator }: TestOrganization) => termsOf(administrator.client)
const releasedFor = async (id: string, org: TestOrganization) =>
  (await by(org).acceptances(id)).body.items
    .filter(({ filesReleasedTime }) => filesReleasedTime !== undefined)
    .map(({ manufacturerOrgId }) => manufacturerOrgId)
    .toSorted()

/** An RFQ whose part only the manufacturer and the rival of this test read. */
async function released(more: object = {}): Promise<{ id: string; partId: string }> {
  const { id, partId } = await openForOwner(more)
  for (const org of [maker, rival]) expect((await by(org).accept(id)).status).toBe(200)
  expect((await by(owner).release(id, maker.orgId)).status).toBe(200)
  expect([await groupsFor(maker, partId), await groupsFor(rival, partId)]).toEqual([['document', 'ip'], ['document']])
  return { id, partId }
}
const days = (count: number) => `${count} days`
/** The RFQ was closed that long ago. */
const age = (id: string, age: string) => sql`
  update sourcing.rfqs set state_since = now() - ${age}::interval where id = ${id}`

describe('POST /flows/v1/rfqs/{id}/release-files', () => {
  test('shows the files of the group ip to the named manufacturers alone, not to the consumer', async () => {
    const { id, partId } = await released()
    expect(await groupsFor(buyer, partId)).not.toContain('ip')
    expect([await releasedFor(id, owner), await releasedFor(id, buyer), await releasedFor(id, maker)]).toEqual(
      [owner, buyer, maker].map(() => [maker.orgId]),
    )
    expect(await releasedFor(id, rival)).toEqual([])
    expect((await by(owner).release(id, maker.orgId, rival.orgId)).status).toBe(200)
    expect(await groupsFor(rival, partId)).toEqual(['document', 'ip'])
  })

  test('is 409 for those that have not accepted, have declined or are not invited, and names each; nothing is released', async () => {
    const third = await market.organization(['MANUFACTURER'])
    const { id, partId } = await openForOwner({ manufacturerIds: [maker.orgId, rival.orgId, third.orgId] })
    for (const org of [maker, rival]) await by(org).accept(id)
    await rfqsOf(rival.administrator.client).act(id, 'decline')
    const { status, body } = await by(owner).release(id, maker.orgId, third.orgId, rival.orgId, stranger.orgId)
    const message = 'must have accepted the terms and not have declined the invitation'
    expect([status, body.errors]).toEqual([409, [1, 2, 3].map((n) => ({ field: `manufacturerIds.${n}`, message }))])
    expect(await groupsFor(maker, partId)).toEqual(['document'])
  })

  test('needs part:update of the IP owner; for others the RFQ is 404, and unknown ids are alike', async () => {
    const { id } = await openForOwner()
    await by(maker).accept(id)
    const without = await owner.member(['part:publish', 'file:write', 'order:update'])
    expect((await termsOf(without.client).release(id, maker.orgId)).status).toBe(403)
    const updater = await stranger.member(['part:update'])
    const answers = [
      await by(stranger).release(id, maker.orgId),
      await termsOf(updater.client).release('rfq_unknown', maker.orgId),
    ]
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual(
      answers.map(() => [404, answers[0]?.body.detail ?? '']),
    )
    for (const org of [buyer, designer, maker]) expect((await by(org).release(id, maker.orgId)).status).toBe(404)
    expect((await by(owner).release(id)).status).toBe(400)
    expect(await releasedFor(id, owner)).toEqual([])
  })

  test('is 409 without terms, as a draft 404 for a foreign IP owner, and 409 once the RFQ has ended', async () => {
    const plain = await draft({ confidentialityTerms: undefined })
    await rfqs.act(plain, 'publish')
    const refused = await by(designer).release(plain, maker.orgId)
    expect([refused.status, refused.body.detail]).toEqual([409, 'The RFQ has no confidentiality terms.'])
    const id = await open()
    await by(maker).accept(id)
    await rfqs.act(id, 'cancel', { reason: 'Sold.' })
    expect((await by(designer).release(id, maker.orgId)).status).toBe(409)
  })

  test('is refused to an IP owner that is invited itself', async () => {
    const opened = await openForOwner()
    const { id, partId } = opened
    await by(maker).accept(id)
    await act(opened.id, 'invite', { manufacturerIds: [owner.orgId] })
    const { status, body } = await by(owner).release(id, maker.orgId)
    expect([status, body.detail]).toEqual([
      409,
      'Your organization is invited to this RFQ itself, so it releases no files for it.',
    ])
    expect(await groupsFor(maker, partId)).toEqual(['document'])
  })

  test('writes history, an audit entry and an event, and tells exactly the manufacturer, the consumer and the IP owner', async () => {
    const { id } = await openForOwner()
    for (const org of [maker, rival]) await by(org).accept(id)
    const member = await owner.member('IP owner')
    const events = await caseEventsOf(market, () => termsOf(member.client).release(id, maker.orgId))
    expect(events.map((event) => [event.type, causeOf(event)])).toEqual(
      [1, 2, 3].map(() => ['cases.updated', 'sourcing.rfq.filesReleased']),
    )
    expect(new Set(events.map(({ tenantId }) => tenantId))).toEqual(
      new Set([maker, buyer, owner].map(({ orgId }) => orgId)),
    )
    const again = await caseEventsOf(market, () => termsOf(member.client).release(id, maker.orgId))
    expect(again).toEqual([])
    const entries = await entriesOf(market, owner.orgId, 'rfq.releaseFiles')
    expect(entries.filter(({ request }) => request.id === id)[0]).toMatchObject({
      success: true,
      actor_id: member.userId,
      request: { id, manufacturerIds: [maker.orgId] },
    })
    const newest = async ({ administrator }: TestOrganization) =>
      (
        await administrator.client.get<{ items: { changes: { field: string }[] }[] }>(`/v1/rfqs/${id}/history`)
      ).body.items[0]?.changes.map(({ field }) => field)
    const field = `acceptances.${maker.orgId}.filesReleasedTime`
    expect([await newest(buyer), await newest(owner), await newest(maker)]).toEqual([[field], [field], [field]])
    expect(await newest(rival)).toEqual([`acceptances.${rival.orgId}.acceptedTime`])
  })

  test('a download works, and shows the pinned file after the part has another one', async () => {
    const { partId } = await released()
    const files = new FileClient(market, owner.administrator.client)
    await files.addFile(partId, 'newer', 'ip', 'newer.stl')
    const shown = (await files.listFiles(partId, maker.administrator.client)).filter(({ group }) => group === 'ip')
    expect(shown.map(({ name }) => name)).toEqual(['ip.stl'])
    const [drawing] = shown
    if (!drawing) throw new Error('no file is shown')
    expect(await (await files.download(drawing)).text()).toBe('ip')
  })
})

describe('the end of a release', () => {
  test.each([
    ['cancel', { reason: 'Sold.' }],
    ['decline', undefined],
  ])('by %s', async (verb, body) => {
    const { id, partId } = await released()
    const client = (verb === 'decline' ? maker : buyer).administrator.client
    expect((await rfqsOf(client).act(id, verb, body)).status).toBe(200)
    expect(await groupsFor(maker, partId)).toBe(404)
    expect(await releasedFor(id, owner)).toEqual([])
  })

  test('after a decline it does not come back with a new invitation', async () => {
    const { id, partId } = await released()
    await rfqsOf(maker.administrator.client).act(id, 'decline')
    await act(id, 'invite', { manufacturerIds: [maker.orgId] })
    expect(await groupsFor(maker, partId)).toEqual(['document'])
    expect((await by(owner).release(id, maker.orgId)).status).toBe(200)
    expect(await groupsFor(maker, partId)).toEqual(['document', 'ip'])
  })

  test('30 days after the RFQ was CLOSED, by the clock alone; a reopened RFQ does not bring it back', async () => {
    const { id, partId } = await released()
    const requests = rfqsOf(buyer.administrator.client)
    await requests.act(id, 'close')
    await age(id, '29 days 23 hours')
    expect(await groupsFor(maker, partId)).toEqual(['document', 'ip'])
    await age(id, days(30))
    expect(await groupsFor(maker, partId)).toEqual(['document'])
    expect(await releasedFor(id, owner)).toEqual([])
    const late = await by(owner).release(id, maker.orgId)
    expect([late.status, late.body.detail]).toEqual([409, 'The RFQ has been closed for more than 30 days.'])
    await act(id, 'reopen', { expireTime: inHours(48) })
    expect(await groupsFor(maker, partId)).toEqual(['document'])
    expect((await by(owner).release(id, maker.orgId)).status).toBe(200)
    expect(await groupsFor(maker, partId)).toEqual(['document', 'ip'])
  })

  test('counts from the expiry where the worker closed the RFQ later', async () => {
    const { id, partId } = await released()
    await rfqsOf(buyer.administrator.client).act(id, 'close')
    await sql`update sourcing.rfqs set expires_at = now() - interval '30 days' where id = ${id}`
    expect(await groupsFor(maker, partId)).toEqual(['document'])
  })

  test('withdraw-files ends that of the named manufacturers, or of all, and tells exactly those that had it', async () => {
    const { id, partId } = await released()
    await by(owner).release(id, rival.orgId)
    const events = await caseEventsOf(market, () => by(owner).withdraw(id, rival.orgId))
    expect(new Set(events.map(({ tenantId }) => tenantId))).toEqual(
      new Set([rival, buyer, owner].map(({ orgId }) => orgId)),
    )
    expect(new Set(events.map(causeOf))).toEqual(new Set(['sourcing.rfq.filesWithdrawn']))
    expect([await groupsFor(maker, partId), await groupsFor(rival, partId)]).toEqual([['document', 'ip'], ['document']])
    expect((await by(owner).withdraw(id)).status).toBe(200)
    expect(await groupsFor(maker, partId)).toEqual(['document'])
    expect(await caseEventsOf(market, () => by(owner).withdraw(id))).toEqual([])
    const withoutIt = await owner.member(['part:publish'])
    expect((await termsOf(withoutIt.client).withdraw(id)).status).toBe(403)
    expect((await by(designer).withdraw(id)).status).toBe(404)
    const [entry] = await entriesOf(market, owner.orgId, 'rfq.withdrawFiles')
    expect(entry).toMatchObject({ success: true })
  })
})

describe('an award', () => {
  const awarded = async () => {
    const { id, partId } = await released()
    await by(owner).release(id, rival.orgId)
    const offerId = await offer(id, maker)
    await offer(id, rival)
    const awards = awardsOf(buyer.administrator.client)
    const { status, body } = await awards.award(id, { awards: [{ offerId, quantity: 10 }] })
    expect(status).toBe(200)
    return { id, partId, orderId: body.orders[0]?.id ?? '' }
  }

  test('ends the releases of all but the winner, which keeps reading while its order is PLACED', async () => {
    const { id, partId, orderId } = await awarded()
    expect([await groupsFor(maker, partId), await groupsFor(rival, partId)]).toEqual([['document', 'ip'], 404])
    expect(await releasedFor(id, owner)).toEqual([maker.orgId])
    const orders = ordersOf(maker.administrator.client)
    expect((await orders.act(orderId, 'confirm')).status).toBe(200)
    expect(await groupsFor(maker, partId)).toEqual(['document'])
    expect((await ordersOf(owner.administrator.client).act(orderId, 'release-files')).status).toBe(200)
    expect(await groupsFor(maker, partId)).toEqual(['document', 'ip'])
  })

  test('leaves the release of the winner to withdraw-files', async () => {
    const { id, partId } = await awarded()
    expect((await by(owner).release(id, maker.orgId)).status).toBe(409)
    expect((await by(owner).withdraw(id, maker.orgId)).status).toBe(200)
    expect(await groupsFor(maker, partId)).toEqual(['document'])
  })

  test('does not bring back a release that has ended by the clock', async () => {
    const { id, partId } = await released()
    const offerId = await offer(id, maker)
    await rfqsOf(buyer.administrator.client).act(id, 'close')
    await age(id, days(31))
    const awards = awardsOf(buyer.administrator.client)
    expect((await awards.award(id, { awards: [{ offerId, quantity: 10 }] })).status).toBe(200)
    expect(await groupsFor(maker, partId)).toEqual(['document'])
  })

  test('ends with the decline of the order', async () => {
    const { partId, orderId } = await awarded()
    await ordersOf(maker.administrator.client).act(orderId, 'decline', { reason: 'No capacity.' })
    expect(await groupsFor(maker, partId)).not.toContain('ip')
  })
})

describe('releaseFiles of a draft', () => {
  test('releases for the invitees at the publication once they accept; later ones need a release of their own', async () => {
    const [first, third] = [await market.organization(['MANUFACTURER']), await market.organization(['MANUFACTURER'])]
    const id = await open({ releaseFiles: true, manufacturerIds: [first.orgId] })
    expect((await rfqs.act(id, 'invite', { manufacturerIds: [third.orgId] })).status).toBe(200)
    expect(await groupsFor(first)).toEqual([])
    const events = await caseEventsOf(market, () => by(first).accept(id))
    expect(events.map(causeOf).toSorted()).toEqual([
      ...['sourcing.rfq.filesReleased', 'sourcing.rfq.filesReleased'],
      ...['sourcing.rfq.termsAccepted', 'sourcing.rfq.termsAccepted'],
    ])
    expect(await groupsFor(first)).toEqual(['document', 'ip'])
    expect((await by(third).accept(id)).status).toBe(200)
    expect(await groupsFor(third)).toEqual(['document'])
    expect((await by(designer).release(id, third.orgId)).status).toBe(200)
    expect(await groupsFor(third)).toEqual(['document', 'ip'])
    // No invitee learns whether others get the files.
    expect((await rfqsOf(first.administrator.client).read(id)).body).not.toHaveProperty('releaseFiles')
  })

  test('is ended by withdraw-files before the acceptance, and notifies no organization', async () => {
    const fresh = await market.organization(['MANUFACTURER'])
    const id = await open({ releaseFiles: true, manufacturerIds: [fresh.orgId] })
    expect(await caseEventsOf(market, () => by(designer).withdraw(id))).toEqual([])
    expect((await by(fresh).accept(id)).status).toBe(200)
    expect(await groupsFor(fresh)).toEqual(['document'])
  })
})
