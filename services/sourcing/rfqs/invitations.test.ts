import { describe, expect, test } from 'bun:test'
import type { RfqInvitation } from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import { newId } from '../../kit/db/ids.ts'
import { captureLog } from '../../testing/captured-log.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { rfqParties, rfqsOf } from '../../testing/rfqs.ts'
import { openSession } from '../../testing/sessions.ts'

const log = captureLog()
const market = await marketplaceOf(['sourcing'], {}, undefined, { logDestination: log.destination })
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
