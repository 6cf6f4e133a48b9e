import { describe, expect, test } from 'bun:test'
import type { RfqInvitation } from '../../../proto/http/sourcing/rfqs.ts'
import { newId } from '../../kit/db/ids.ts'
import { captureLog } from '../../testing/captured-log.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { offerBody, offerParties } from '../../testing/offers.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { openSession } from '../../testing/sessions.ts'

const log = captureLog()
const market = await marketplaceOf(['sourcing'], RACING, undefined, { logDestination: log.destination })
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, buyer, open, factory, seller, draftOffer } = parties
const invited = rfqsOf(maker.administrator.client)

const invitations = async (id: string) => {
  const path = `/flows/v1/rfqs/${id}/invitations`
  return (await consumer.administrator.client.get<{ items: RfqInvitation[] }>(path)).body.items
}

describe('invitations', () => {
  test('READ is recorded when the manufacturer first gets the RFQ, not when it lists it', async () => {
    const id = await open()
    await invited.list()
    expect((await invitations(id))[0]?.state).toBe('INVITED')
    await invited.read(id)
    const [first] = await invitations(id)
    expect([first?.state, typeof first?.readTime]).toEqual(['READ', 'string'])
    await invited.read(id)
    expect(await invitations(id)).toEqual([first as RfqInvitation])
  })

  test('READ is not recorded for HEAD, nor for a read under an impersonation grant', async () => {
    const id = await open()
    const { client } = maker.administrator
    expect((await client.send('HEAD', `/v1/rfqs/${id}`)).status).toBe(200)
    const act = { actingEmail: 'support@example.com', grantId: newId('grant') }
    const support = new ApiClient(market.url, (await openSession(market, maker.administrator, act)).accessToken)
    expect((await rfqsOf(support).read(id)).body.id).toBe(id)
    expect((await invitations(id))[0]).toMatchObject({ state: 'INVITED' })
    expect((await invited.read(id)).status).toBe(200)
    expect((await invitations(id))[0]?.state).toBe('READ')
  })

  test('the RFQ is read although READ cannot be recorded, and the next read records it', async () => {
    const id = await open()
    await market.db.owner`revoke update on sourcing.rfq_invitations from marketplace_sourcing`
    const { status, body } = await invited.read(id)
    await market.db.owner`grant update on sourcing.rfq_invitations to marketplace_sourcing`
    expect([status, body.id]).toEqual([200, id])
    expect((await invitations(id))[0]?.state).toBe('INVITED')
    expect(log.errors()).toMatchObject([{ msg: 'an invitation could not be marked as read', rfqId: id }])
    await invited.read(id)
    expect((await invitations(id))[0]?.state).toBe('READ')
  })

  test('a manufacturer declines with a reason, which the consumer sees; a second time is 409', async () => {
    const id = await open()
    const answer = await invited.act(id, 'decline', { reason: 'No capacity.' })
    expect([answer.status, answer.body.manufacturerIds]).toEqual([200, [maker.orgId]])
    expect((await invitations(id))[0]).toMatchObject({ state: 'DECLINED', reason: 'No capacity.' })
    expect((await invited.act(id, 'decline')).status).toBe(409)
    expect((await invited.read(id)).status).toBe(200)
    expect((await invitations(id))[0]?.state).toBe('DECLINED')
  })

  test('an invited manufacturer reads its own invitation in the RFQ, never that of another, and the consumer reads none', async () => {
    const id = await open()
    await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] })
    const rivals = rfqsOf(rival.administrator.client)
    await invited.act(id, 'decline', { reason: 'No capacity.' })
    const own = (await invited.read(id)).body.invitation
    expect(own).toMatchObject({ manufacturerOrgId: maker.orgId, state: 'DECLINED', reason: 'No capacity.' })
    expect(typeof own?.declinedTime).toBe('string')
    const listed = async (rfqs: typeof invited) =>
      (await rfqs.list('?view=MANUFACTURER')).body.items.find((one) => one.id === id)?.invitation
    expect(await listed(invited)).toEqual(own)
    expect((await listed(rivals))?.state).toBe('INVITED')
    await rivals.read(id)
    const others = (await rivals.read(id)).body
    expect(others.invitation).toMatchObject({ manufacturerOrgId: rival.orgId, state: 'READ' })
    expect(JSON.stringify(others)).not.toContain(maker.orgId)
    for (const { administrator } of [consumer, ipOwner]) {
      expect((await rfqsOf(administrator.client).read(id)).body).not.toHaveProperty('invitation')
    }
    // The end of the RFQ keeps the decline, and a new invitation replaces it.
    await buyer.act(id, 'close')
    expect((await invited.read(id)).body).toMatchObject({ state: 'CLOSED', invitation: own })
  })

  test('an IP owner that is invited reads its own invitation beside the RFQ of an IP owner', async () => {
    const both = await market.organization(['IP_OWNER', 'MANUFACTURER'])
    const partId = await publishedPart(both.administrator.client)
    const { id } = (await buyer.create(rfqBody(partId, { manufacturerIds: [both.orgId, rival.orgId] }))).body
    await buyer.act(id, 'publish')
    const own = rfqsOf(both.administrator.client)
    expect((await own.act(id, 'decline')).status).toBe(200)
    const { body } = await own.read(id)
    expect(body.manufacturerIds).toEqual([both.orgId, rival.orgId])
    expect(body.invitation).toMatchObject({ manufacturerOrgId: both.orgId, state: 'DECLINED' })
    expect((await own.list()).body.items.find((one) => one.id === id)).toEqual(body)
  })

  test('decline needs no body, and is 404 for consumer, IP owner and an uninvited manufacturer', async () => {
    const id = await open()
    for (const { administrator } of [consumer, ipOwner, rival]) {
      expect((await rfqsOf(administrator.client).act(id, 'decline')).status).toBe(404)
    }
    expect((await invited.act(id, 'decline')).status).toBe(200)
    expect((await invitations(id))[0]).not.toHaveProperty('reason')
  })

  test('decline concurrent with close and reads succeeds before it or is 409', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await open()
      const [declined, closed, read] = await Promise.all([
        invited.act(id, 'decline'),
        buyer.act(id, 'close'),
        invited.read(id),
      ])
      expect([closed.status, read.status]).toEqual([200, 200])
      expect([200, 409]).toContain(declined.status)
      expect((await invitations(id))[0]?.state === 'DECLINED').toBe(declined.status === 200)
    }
  })

  test('after a decline an offer needs a new invitation, also one that was drafted before', async () => {
    const id = await open()
    const drafted = await draftOffer({}, id)
    await invited.act(id, 'decline', { reason: 'No capacity.' })
    const refused = [await seller.create(offerBody(id, factory.id)), await seller.act(drafted, 'submit')]
    for (const { status, body } of refused) {
      expect([status, body.code, body.errors]).toEqual([
        409,
        'illegal_transition',
        [{ field: 'rfqId', message: 'is declined by your organization' }],
      ])
    }
    const events = await caseEventsOf(market, async () => {
      const again = await buyer.act(id, 'invite', { manufacturerIds: [maker.orgId, rival.orgId] })
      expect([again.status, again.body.manufacturerIds]).toEqual([200, [maker.orgId, rival.orgId]])
    })
    expect(events.map(({ type, tenantId, data }) => [type, tenantId, data.case.state])).toEqual([
      ['cases.updated', maker.orgId, 'OPEN'],
      ['cases.updated', consumer.orgId, 'OPEN'],
      ['cases.created', rival.orgId, 'OPEN'],
      ['cases.created', consumer.orgId, 'OPEN'],
    ])
    const own = (await invitations(id)).find(({ manufacturerOrgId }) => manufacturerOrgId === maker.orgId)
    expect(own?.state).toBe('INVITED')
    for (const field of ['reason', 'declinedTime', 'readTime']) expect(own).not.toHaveProperty(field)
    expect((await seller.act(drafted, 'submit')).status).toBe(200)
    expect((await invited.act(id, 'decline')).status).toBe(409)
    const [told] = await market.db.owner<{ ids: string[] }[]>`
      select data::jsonb->'manufacturerOrgIds' as ids from sourcing.outbox
      where subject = ${id} and type = 'sourcing.rfq.invited'`
    expect(told?.ids).toEqual([maker.orgId, rival.orgId])
  })

  test('a new invitation that is read is READ again, and one that was not declined stays as it is', async () => {
    const id = await open()
    await invited.read(id)
    const [before] = await invitations(id)
    await buyer.act(id, 'invite', { manufacturerIds: [maker.orgId] })
    expect(await invitations(id)).toEqual([before as RfqInvitation])
    await invited.act(id, 'decline')
    await buyer.act(id, 'invite', { manufacturerIds: [maker.orgId] })
    await invited.read(id)
    expect((await invitations(id)).map(({ state }) => state)).toEqual(['READ'])
  })

  test('decline of a closed RFQ or after an offer is 409, and without the permission 403', async () => {
    const closed = await open()
    await buyer.act(closed, 'close')
    expect((await invited.act(closed, 'decline')).status).toBe(409)
    const offered = await open()
    await market.db.owner`update sourcing.rfq_invitations set state = 'OFFERED' where rfq_id = ${offered}`
    expect((await invited.act(offered, 'decline')).status).toBe(409)
    const member = await maker.member(['app:manufacturer', 'offer:submit'])
    expect((await rfqsOf(member.client).act(offered, 'decline')).status).toBe(403)
  })
})
