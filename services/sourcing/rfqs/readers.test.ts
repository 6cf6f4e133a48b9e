import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { awardsOf } from '../../testing/awards.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { publishedPart, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { ipOwner, maker, rival, stranger, buyer, draft, open } = await rfqParties(market)
const isRfq = TypeCompiler.Compile(Rfq)
const owner = rfqsOf(ipOwner.administrator.client)
const invited = rfqsOf(maker.administrator.client)
const uninvited = rfqsOf(rival.administrator.client)

describe('who reads an RFQ (GET /v1/rfqs/{id})', () => {
  const readers = (id: string) =>
    Promise.all(
      [buyer, owner, invited, uninvited, rfqsOf(stranger.administrator.client)].map(
        async ({ read }) => (await read(id)).status,
      ),
    )

  test('a draft is readable only by its consumer', async () => {
    expect(await readers(await draft())).toEqual([200, 404, 404, 404, 404])
  })

  test('a draft that was cancelled stays readable only by its consumer', async () => {
    const id = await draft()
    await buyer.act(id, 'cancel', { reason: 'Not needed.' })
    expect(await readers(id)).toEqual([200, 404, 404, 404, 404])
  })

  test.each([[[]], [['close']], [['cancel']]])(
    'after publication and %p, also by IP owner and invitee; a competitor and a stranger get 404',
    async (verbs) => {
      const id = await open()
      for (const verb of verbs) await buyer.act(id, verb, verb === 'cancel' ? { reason: 'x' } : undefined)
      expect(await readers(id)).toEqual([200, 200, 200, 404, 404])
    },
  )

  test('404 of an uninvited manufacturer equals that of an unknown id', async () => {
    const bare = (text: string) => text.replace(/"(requestId|instance)":"[^"]*"/g, '')
    expect(bare((await uninvited.read(await open())).text)).toBe(bare((await uninvited.read('rfq_unknown')).text))
  })

  test('a manufacturer sees only itself in manufacturerIds; consumer and IP owner see all', async () => {
    const id = await open({ manufacturerIds: [rival.orgId, maker.orgId] })
    const seen = await Promise.all([buyer, owner, invited, uninvited].map(async ({ read }) => (await read(id)).body))
    expect(seen.map(({ manufacturerIds }) => manufacturerIds)).toEqual([
      [rival.orgId, maker.orgId],
      [rival.orgId, maker.orgId],
      [maker.orgId],
      [rival.orgId],
    ])
    expect(seen.every((rfq) => isRfq.Check(rfq))).toBe(true)
  })

  test('a manufacturer does not see from the JSON that a competitor was invited', async () => {
    const id = await open()
    await invited.read(id)
    const before = await invited.read(id)
    await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] })
    expect((await invited.read(id)).text).toBe(before.text)
    expect((await uninvited.read(id)).body.manufacturerIds).toEqual([rival.orgId])
  })
})

describe('an invited manufacturer reads the part', () => {
  test('once the RFQ is published, with its metadata and its public groups of files', async () => {
    const { client } = ipOwner.administrator
    const internal = await publishedPart(client, { internal: true, metadata: { pump: 'P-1' } })
    const files = market.db.owner
    for (const group of ['preview', 'document', 'ip', 'partDevelopment', 'development']) {
      await files`
        insert into sourcing.files (id, part_id, org_id, name, file_group, state, reason, public, created_at)
        values (${`file_${group}${internal}`}, ${internal}, ${ipOwner.orgId}, ${group}, ${group}, 'FAILED', 'too_large',
          false, now())`
    }
    const statuses = (by: typeof maker) =>
      Promise.all(
        ['', '/metadata', '/files', '/history'].map(
          async (path) => (await by.administrator.client.get(`/v1/parts/${internal}${path}`)).status,
        ),
      )
    const { id } = (await owner.create(rfqBody(internal, { manufacturerIds: [maker.orgId] }))).body
    expect(await statuses(maker)).toEqual([404, 404, 404, 404])
    await owner.act(id, 'publish')
    expect(await statuses(maker)).toEqual([200, 200, 200, 404])
    expect(await statuses(rival)).toEqual([404, 404, 404, 404])
    const listed = await maker.administrator.client.get<{ items: { group: string }[] }>(`/v1/parts/${internal}/files`)
    expect(listed.body.items.map(({ group }) => group).sort()).toEqual(['document', 'preview'])
    expect((await owner.act(id, 'invite', { manufacturerIds: [rival.orgId] })).status).toBe(200)
    expect(await statuses(rival)).toEqual([200, 200, 200, 404])
    // The invitation does not list the part in the public view.
    const parts = await maker.administrator.client.get<{ items: { id: string }[] }>('/v1/parts?pageSize=50')
    expect(parts.body.items.map((part) => part.id)).not.toContain(internal)
  })

  describe('until its invitation ends', () => {
    const statuses = (part: string, { administrator }: typeof maker) =>
      Promise.all(
        [
          `parts/${part}`,
          `parts/${part}/metadata`,
          `parts/${part}/files`,
          `factories?view=CONSUMER&partId=${part}`,
        ].map(async (path) => (await administrator.client.get(`/v1/${path}`)).status),
      )
    const [reads, lost] = [Array(4).fill(200), Array(4).fill(404)]
    /** An open RFQ of the IP owner for an internal part of its own, with both manufacturers. */
    const invitedToOwn = async () => {
      const part = await publishedPart(ipOwner.administrator.client, { internal: true })
      const body = rfqBody(part, { manufacturerIds: [maker.orgId, rival.orgId] })
      const { id } = (await owner.create(body)).body
      await owner.act(id, 'publish')
      expect([await statuses(part, maker), await statuses(part, rival)]).toEqual([reads, reads])
      return { part, id }
    }

    test('a decline ends only its own', async () => {
      const { part, id } = await invitedToOwn()
      expect((await invited.act(id, 'decline')).status).toBe(200)
      expect([await statuses(part, maker), await statuses(part, rival)]).toEqual([lost, reads])
      expect((await invited.read(id)).status).toBe(200)
    })

    test('the cancellation of the RFQ ends all, a closure ends none', async () => {
      const { part, id } = await invitedToOwn()
      await owner.act(id, 'close')
      expect([await statuses(part, maker), await statuses(part, rival)]).toEqual([reads, reads])
      await owner.act(id, 'cancel', { reason: 'Sold.' })
      expect([await statuses(part, maker), await statuses(part, rival)]).toEqual([lost, lost])
    })

    test('an award ends those of the manufacturers that it leaves out', async () => {
      const { part, id } = await invitedToOwn()
      const factory = await createFactory(maker.administrator.client)
      const offers = offersOf(maker.administrator.client)
      const { body } = await offers.create(offerBody(id, factory.id))
      await offers.act(body.id, 'submit')
      await awardsOf(ipOwner.administrator.client).accept(body.id, { quantity: 10 })
      expect([await statuses(part, maker), await statuses(part, rival)]).toEqual([reads, lost])
    })

    test('another invitation for the part keeps it readable', async () => {
      const { part, id } = await invitedToOwn()
      const second = await owner.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))
      await owner.act(second.body.id, 'publish')
      await owner.act(id, 'cancel', { reason: 'Sold.' })
      expect([await statuses(part, maker), await statuses(part, rival)]).toEqual([reads, lost])
    })
  })

  test('a part with an OPEN or CLOSED RFQ cannot be deleted (409); after the RFQ is cancelled it can', async () => {
    const { client } = ipOwner.administrator
    const part = await publishedPart(client)
    const { id } = (await buyer.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
    await buyer.act(id, 'publish')
    const refusals = async () => {
      const { status, body } = await client.send<{ code: string }>('DELETE', `/flows/v1/parts/${part}`)
      return [status, body.code]
    }
    expect(await refusals()).toEqual([409, 'conflict'])
    await buyer.act(id, 'close')
    expect(await refusals()).toEqual([409, 'conflict'])
    await buyer.act(id, 'cancel', { reason: 'The pump is replaced.' })
    expect((await client.send('DELETE', `/flows/v1/parts/${part}`)).status).toBe(204)
    expect((await buyer.read(id)).status).toBe(200)
  })
})
