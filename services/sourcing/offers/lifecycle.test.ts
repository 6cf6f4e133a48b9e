import { describe, expect, test } from 'bun:test'
import type { RfqInvitation } from '../../../proto/http/sourcing/rfqs.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { euros, offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { inHours, publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const parties = await offerParties(market)
const { consumer, ipOwner, maker, rival, stranger, partId, buyer, open } = parties
const { factory, rivalFactory, seller, draftOffer, submittedOffer } = parties
const receiver = offersOf(consumer.administrator.client)

const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const stateOf = async (id: string) => (await seller.read(id)).body.state
const invitation = async (rfqId: string) => {
  const path = `/flows/v1/rfqs/${rfqId}/invitations`
  return (await consumer.administrator.client.get<{ items: RfqInvitation[] }>(path)).body.items[0]
}
const eventsOf = async (id: string) => {
  const rows = await market.db.owner<{ type: string }[]>`
    select type from sourcing.outbox where subject = ${id} order by seq`
  return rows.map(({ type }) => type.slice('sourcing.offer.'.length))
}
/** Sets the validity of an offer to a time in the past. The worker sees it within a second. */
const outdate = (id: string) => market.db.owner`
  update sourcing.offers set valid_until = now() - interval '1 minute' where id = ${id}`

describe('submit', () => {
  test('DRAFT → SUBMITTED with its time, and the invitation is OFFERED with the time of the first submission', async () => {
    const rfqId = await open()
    const { body } = await seller.act(await draftOffer({}, rfqId), 'submit')
    expect([body.state, typeof body.submittedTime]).toEqual(['SUBMITTED', 'string'])
    const first = await invitation(rfqId)
    expect(first).toMatchObject({ state: 'OFFERED', offeredTime: body.submittedTime as string })
    await submittedOffer({}, rfqId)
    expect(await invitation(rfqId)).toEqual(first as RfqInvitation)
  })

  test('marks the invitation as OFFERED, and a decline after it is 409', async () => {
    const rfqId = await open()
    const invited = rfqsOf(maker.administrator.client)
    await submittedOffer({}, rfqId)
    expect((await invitation(rfqId))?.state).toBe('OFFERED')
    expect((await invited.act(rfqId, 'decline')).status).toBe(409)
  })

  test('with a validity in the past and an inactive factory it is 409 that names the fields', async () => {
    const { client } = maker.administrator
    const closed = await createFactory(client, { name: 'Closed Works' })
    const rfqId = await open()
    const offer = offerBody(rfqId, closed.id, { validUntil: inHours(-1) })
    const { id } = (await seller.create(offer)).body
    await client.post(`/flows/v1/factories/${closed.id}/deactivate`)
    const answer = await seller.act(id, 'submit')
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
    expect(fields(answer)).toEqual(['factoryId', 'validUntil'])
    expect(await stateOf(id)).toBe('DRAFT')
    expect((await invitation(rfqId))?.state).toBe('INVITED')
  })

  test('with the If-Match of a draft that was changed since is 412, with the present one 200', async () => {
    const id = await draftOffer()
    const tag = (await seller.read(id)).headers.get('etag') ?? ''
    const changed = await seller.patch(id, { notes: 'Changed by a colleague.' })
    const outdated = await seller.act(id, 'submit', undefined, { 'if-match': tag })
    expect([outdated.status, outdated.body.code, await stateOf(id)]).toEqual([412, 'precondition_failed', 'DRAFT'])
    const present = { 'if-match': changed.headers.get('etag') ?? '' }
    expect((await seller.act(id, 'submit', undefined, present)).body.state).toBe('SUBMITTED')
  })

  test('of an internal factory is allowed', async () => {
    const internal = await createFactory(maker.administrator.client, { name: 'Laboratory', internal: true })
    expect(await submittedOffer({ factoryId: internal.id })).toMatch(/^offer_/)
  })

  test.each(['close', 'cancel'])('after %s of the RFQ is 409 that names rfqId', async (verb) => {
    const rfqId = await open()
    const id = await draftOffer({}, rfqId)
    await buyer.act(rfqId, verb, verb === 'cancel' ? { reason: 'x' } : undefined)
    const answer = await seller.act(id, 'submit')
    expect([answer.status, fields(answer)]).toEqual([409, ['rfqId']])
    expect(await stateOf(id)).toBe('DRAFT')
  })

  test('of an RFQ whose expiry has passed is 409 before the worker closed it', async () => {
    const rfqId = await open()
    const id = await draftOffer({}, rfqId)
    await market.db.owner.begin(async (tx) => {
      await tx`update sourcing.rfqs set expires_at = now() - interval '1 minute' where id = ${rfqId}`
      await tx`update sourcing.rfqs set expired = true where id = ${rfqId}`
    })
    expect(fields(await seller.act(id, 'submit'))).toEqual(['rfqId'])
    expect(fields(await seller.create(offerBody(rfqId, factory.id)))).toEqual(['rfqId'])
  })
})

describe('an offer to a consumer that is engaged through a distributor', async () => {
  const distributor = await market.organization(['DISTRIBUTOR'])
  const engaged = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
  const itsBuyer = rfqsOf(engaged.administrator.client)
  const act = (verb: 'release' | 'withdraw') =>
    distributor.administrator.client.post(`/flows/v1/factories/${factory.id}/${verb}`, { orgId: engaged.orgId })

  test('names a factory that is released to it, else its submission is 409', async () => {
    expect((await act('release')).status).toBe(200)
    const { id: rfqId } = (await itsBuyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body
    expect((await itsBuyer.act(rfqId, 'publish')).status).toBe(200)
    const other = await createFactory(maker.administrator.client, { name: 'Stord Works' })
    const unreleased = await draftOffer({ factoryId: other.id }, rfqId)
    const refused = await seller.act(unreleased, 'submit')
    expect([refused.status, fields(refused)]).toEqual([409, ['factoryId']])
    const released = await draftOffer({}, rfqId)
    await act('withdraw')
    expect(fields(await seller.act(released, 'submit'))).toEqual(['factoryId'])
    await act('release')
    expect((await seller.act(released, 'submit')).status).toBe(200)
  })
})

describe('revise', () => {
  test('creates a draft with the same content and the next revision; its submission supersedes the older offer', async () => {
    const rfqId = await open()
    const first = await submittedOffer({ toolingCost: euros('10'), notes: 'Included.' }, rfqId)
    const answer = await seller.act(first, 'revise')
    const before = (await seller.read(first)).body
    const { id, createdTime, submittedTime, state, revision, partRevision, rfqVersion, ...content } = before
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ ...content, state: 'DRAFT', revision: 2 })
    expect(answer.body).not.toHaveProperty('submittedTime')
    expect((await receiver.read(answer.body.id)).status).toBe(404)
    expect(await stateOf(first)).toBe('SUBMITTED')

    const second = answer.body.id
    await seller.patch(second, { toolingCost: null })
    expect((await seller.act(second, 'submit')).status).toBe(200)
    expect([await stateOf(first), await stateOf(second)]).toEqual(['SUPERSEDED', 'SUBMITTED'])
    expect((await receiver.read(first)).body.state).toBe('SUPERSEDED')
    expect((await seller.act(second, 'revise')).body.revision).toBe(3)
    expect(await eventsOf(first)).toEqual(['created', 'submitted', 'superseded'])
    expect(await eventsOf(second)).toEqual(['revised', 'updated', 'submitted'])
  })

  test('of an offer with a draft revision is 409; of concurrent requests one succeeds', async () => {
    const id = await submittedOffer()
    const answers = await Promise.all(Array.from({ length: 6 }, () => seller.act(id, 'revise')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    expect(fields(await seller.act(id, 'revise'))).toEqual(['revision'])
  })

  test('of a draft or after the RFQ closed is 409', async () => {
    expect((await seller.act(await draftOffer(), 'revise')).status).toBe(409)
    const rfqId = await open()
    const id = await submittedOffer({}, rfqId)
    await buyer.act(rfqId, 'close')
    expect(fields(await seller.act(id, 'revise'))).toEqual(['rfqId'])
  })

  test('with 20 offers in DRAFT or SUBMITTED for the RFQ is 409', async () => {
    const rfqId = await open()
    const id = await submittedOffer({}, rfqId)
    for (let n = 0; n < 19; n++) await draftOffer({}, rfqId)
    expect((await seller.act(id, 'revise')).body.code).toBe('limit_reached')
  })

  test('with 200 offers for the RFQ in all, a new one and a revision are 409', async () => {
    const rfqId = await open()
    const id = await submittedOffer({}, rfqId)
    await market.db.owner`
      insert into sourcing.offers (
        id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency,
        price_breaks, valid_until, revision, created_at, submitted_at, updated_at)
      select id || n, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, 'WITHDRAWN',
        currency, price_breaks, valid_until, 1, created_at, submitted_at, updated_at
      from sourcing.offers, generate_series(1, 198) n where id = ${id}`
    const revision = await seller.act(id, 'revise')
    expect(revision.status).toBe(200)
    for (const answer of [
      await seller.create(offerBody(rfqId, factory.id)),
      await seller.act((await seller.act(revision.body.id, 'submit')).body.id, 'revise'),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
    }
  })

  test('a revision of an offer that was withdrawn meanwhile is submitted, and that offer stays WITHDRAWN', async () => {
    const first = await submittedOffer()
    const { id } = (await seller.act(first, 'revise')).body
    await seller.act(first, 'withdraw')
    expect((await seller.act(id, 'submit')).status).toBe(200)
    expect(await stateOf(first)).toBe('WITHDRAWN')
    expect(await eventsOf(first)).toEqual(['created', 'submitted', 'withdrawn'])
  })
})

test('a revision of an offer whose validity has passed is submitted, and that offer expires', async () => {
  const first = await submittedOffer()
  const { id } = (await seller.act(first, 'revise')).body
  await outdate(first)
  expect((await seller.act(id, 'submit')).status).toBe(200)
  await until(async () => (await stateOf(first)) !== 'SUBMITTED', { what: 'the expiry' })
  expect(await eventsOf(first)).toEqual(['created', 'submitted', 'expired'])
})

describe('a caller without access', () => {
  const verbs = [
    ['patch', (id: string, by: typeof seller) => by.patch(id, { notes: 'New.' })],
    ['submit', (id: string, by: typeof seller) => by.act(id, 'submit')],
    ['revise', (id: string, by: typeof seller) => by.act(id, 'revise')],
    ['withdraw', (id: string, by: typeof seller) => by.act(id, 'withdraw')],
    ['reject', (id: string, by: typeof seller) => by.act(id, 'reject')],
  ] as const

  test.each(verbs)('%s by another party is 404, and the offer does not change', async (verb, command) => {
    const others = verb === 'reject' ? [maker, ipOwner, rival, stranger] : [consumer, ipOwner, rival, stranger]
    for (const id of [await draftOffer(), await submittedOffer()]) {
      const before = await seller.read(id)
      for (const { administrator } of others) {
        expect((await command(id, offersOf(administrator.client))).status).toBe(404)
      }
      expect((await seller.read(id)).text).toBe(before.text)
    }
  })

  test.each(verbs)('%s without the permission is 403, with an audit entry', async (verb, command) => {
    const member = await maker.member(['app:manufacturer', 'offer:accept'])
    expect((await command(await draftOffer(), offersOf(member.client))).status).toBe(403)
    const entries = await market.db.owner`
      select procedure, success, error from organization.audit_log
      where actor_id = ${member.userId} and procedure like 'offer.%'`
    expect([...entries]).toEqual([{ procedure: `offer.${verb}`, success: false, error: 'forbidden' }])
  })

  test('create without the permission is 403', async () => {
    const member = await maker.member(['offer:submit'])
    const answer = await offersOf(member.client).create(offerBody(await open(), factory.id))
    expect(answer.status).toBe(403)
  })
})

test('each command writes one audit entry without prices, and one event', async () => {
  const member = await maker.member('Manufacturer')
  const mine = offersOf(member.client)
  const { id } = (await mine.create(offerBody(await open(), factory.id))).body
  await mine.patch(id, { toolingCost: euros('7777') })
  await mine.act(id, 'submit')
  const { id: revision } = (await mine.act(id, 'revise')).body
  await mine.act(id, 'withdraw', { reason: 'Machine broken.' })
  const entries = await market.db.owner<{ procedure: string; request: object }[]>`
    select procedure, request from organization.audit_log
    where actor_id = ${member.userId} and procedure like 'offer.%' order by timestamp, id`
  expect(entries.map(({ procedure }) => procedure.slice('offer.'.length))).toEqual([
    'create',
    'patch',
    'submit',
    'revise',
    'withdraw',
  ])
  expect(entries.map(({ request }) => Object.keys(request).sort())).toEqual([
    ['factoryId', 'offerId', 'rfqId', 'validUntil'],
    ['id'],
    ['id'],
    ['id', 'offerId'],
    ['id', 'reason'],
  ])
  expect(await eventsOf(id)).toEqual(['created', 'updated', 'submitted', 'withdrawn'])
  expect(await eventsOf(revision)).toEqual(['revised'])
})

test('50 concurrent patches, submissions and withdrawals of one offer leave one consistent history', async () => {
  const id = await draftOffer()
  const requests = Array.from({ length: 50 }, (_, n) => {
    if (n % 3 === 0) return seller.patch(id, { notes: `Note ${n}.` })
    return seller.act(id, n % 3 === 1 ? 'submit' : 'withdraw')
  })
  const answers = await Promise.all(requests)
  const count = (kind: number) => answers.filter(({ status }, n) => n % 3 === kind && status === 200).length
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  expect([count(1), count(2) <= 1]).toEqual([1, true])
  const events = await eventsOf(id)
  expect(events.filter((name) => name === 'updated')).toHaveLength(count(0))
  const last = count(2) === 1 ? ['submitted', 'withdrawn'] : ['submitted']
  expect(events.slice(1 + count(0))).toEqual(last)
  expect(await stateOf(id)).toBe(count(2) === 1 ? 'WITHDRAWN' : 'SUBMITTED')
  expect((await offersOf(rival.administrator.client).create(offerBody(await open(), rivalFactory.id))).status).toBe(400)
})

test('an offer for a part that was deleted meanwhile stays readable', async () => {
  const { client } = ipOwner.administrator
  const part = await publishedPart(client)
  const rfqId = await open({ partId: part })
  const id = await submittedOffer({}, rfqId)
  await buyer.act(rfqId, 'cancel', { reason: 'The pump is replaced.' })
  expect((await client.send('DELETE', `/flows/v1/parts/${part}`)).status).toBe(204)
  for (const by of [seller, receiver, offersOf(client)]) expect((await by.read(id)).status).toBe(200)
})
