import { describe, expect, test } from 'bun:test'
import type { RfqInvitation } from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, rival, buyer, open } = await rfqParties(market)
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

  test('a manufacturer declines with a reason, which the consumer sees; a second time is 409', async () => {
    const id = await open()
    const answer = await invited.act(id, 'decline', { reason: 'No capacity.' })
    expect([answer.status, answer.body.manufacturerIds]).toEqual([200, [maker.orgId]])
    expect((await invitations(id))[0]).toMatchObject({ state: 'DECLINED', reason: 'No capacity.' })
    expect((await invited.act(id, 'decline')).status).toBe(409)
    expect((await invited.read(id)).status).toBe(200)
    expect((await invitations(id))[0]?.state).toBe('DECLINED')
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
