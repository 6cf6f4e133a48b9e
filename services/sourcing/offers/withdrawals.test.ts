import { describe, expect, test } from 'bun:test'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const parties = await offerParties(market)
const { consumer, maker, rival, buyer, open } = parties
const { seller, draftOffer, submittedOffer } = parties
const receiver = offersOf(consumer.administrator.client)

const stateOf = async (id: string) => (await seller.read(id)).body.state
const eventsOf = async (id: string) => {
  const rows = await market.db.owner<{ type: string }[]>`
    select type from sourcing.outbox where subject = ${id} order by seq`
  return rows.map(({ type }) => type.slice('sourcing.offer.'.length))
}
/** Sets the validity of an offer to a time in the past. The worker sees it within a second. */
const outdate = (id: string) => market.db.owner`
  update sourcing.offers set valid_until = now() - interval '1 minute' where id = ${id}`

describe('withdraw and reject', () => {
  test.each([
    ['withdraw', 'WITHDRAWN', seller],
    ['reject', 'REJECTED', receiver],
  ] as const)('%s sets %s, also after the RFQ closed, without a reason too', async (verb, state, by) => {
    for (const [close, body] of [
      [false, undefined],
      [true, { reason: 'Too late.' }],
    ] as const) {
      const rfqId = await open()
      const id = await submittedOffer({}, rfqId)
      if (close) await buyer.act(rfqId, 'close')
      const answer = await by.act(id, verb, body)
      expect([answer.status, answer.body.state]).toEqual([200, state])
      expect((await by.act(id, verb)).status).toBe(409)
      for (const reader of [seller, receiver]) {
        const { state: seen, reason } = (await reader.read(id)).body
        expect([seen, reason]).toEqual([state, body?.reason])
      }
    }
  })

  test('the consumer of a sealed RFQ gets no price in the answer to its rejection', async () => {
    const rfqId = await open({ sealed: true })
    const { status, body } = await receiver.act(await submittedOffer({}, rfqId), 'reject')
    expect([status, body.state]).toEqual([200, 'REJECTED'])
    expect(body).not.toHaveProperty('priceBreaks')
  })

  test('of a draft is 409 for its manufacturer and 404 for the consumer', async () => {
    const id = await draftOffer()
    expect((await seller.act(id, 'withdraw')).status).toBe(409)
    expect((await receiver.act(id, 'reject')).status).toBe(404)
  })

  test('of an offer whose validity has passed is 409', async () => {
    for (const [by, verb] of [
      [seller, 'withdraw'],
      [receiver, 'reject'],
      [seller, 'revise'],
    ] as const) {
      const id = await submittedOffer()
      await outdate(id)
      const answer = await by.act(id, verb)
      expect([answer.status, answer.body.detail]).toEqual([409, 'The offer is EXPIRED, not SUBMITTED.'])
    }
  })

  test('concurrent withdraw and reject: one succeeds, the other is 409', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await submittedOffer()
      const answers = await Promise.all([seller.act(id, 'withdraw'), receiver.act(id, 'reject')])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })
})

describe('the cancellation of an RFQ', () => {
  test('rejects its submitted offers with an event for each; drafts, withdrawn and other offers stay', async () => {
    const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
    const [draft, withdrawn] = [await draftOffer({}, rfqId), await submittedOffer({}, rfqId)]
    await seller.act(withdrawn, 'withdraw')
    const [one, two] = [await submittedOffer({}, rfqId), await submittedOffer({}, rfqId)]
    const elsewhere = await submittedOffer()
    await buyer.act(rfqId, 'cancel', { reason: 'Not needed.' })
    expect(await Promise.all([draft, withdrawn, one, two, elsewhere].map(stateOf))).toEqual([
      'DRAFT',
      'WITHDRAWN',
      'REJECTED',
      'REJECTED',
      'SUBMITTED',
    ])
    for (const id of [one, two]) expect(await eventsOf(id)).toEqual(['created', 'submitted', 'rejected'])
    expect(await eventsOf(draft)).toEqual(['created'])
  })

  test('sets an offer whose validity has passed to EXPIRED', async () => {
    const rfqId = await open()
    const id = await submittedOffer({}, rfqId)
    await outdate(id)
    await buyer.act(rfqId, 'cancel', { reason: 'Not needed.' })
    expect(await stateOf(id)).toBe('EXPIRED')
    expect(await eventsOf(id)).toEqual(['created', 'submitted', 'expired'])
  })

  test('concurrent with submissions leaves no submitted offer', async () => {
    for (let round = 0; round < 5; round++) {
      const rfqId = await open()
      const ids = [await draftOffer({}, rfqId), await draftOffer({}, rfqId), await draftOffer({}, rfqId)]
      await Promise.all([
        ...ids.map((id) => seller.act(id, 'submit')),
        buyer.act(rfqId, 'cancel', { reason: 'Not needed.' }),
      ])
      for (const id of ids) expect(['DRAFT', 'REJECTED']).toContain(await stateOf(id))
    }
  })
})
