import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RfqInvitation } from '../../../proto/http/sourcing/rfqs.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'
import { inHours, publishedPart, rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const { consumer, ipOwner, maker, rival, partId, buyer, draft, open } = await rfqParties(market)
const invited = rfqsOf(maker.administrator.client)
const isInvitation = TypeCompiler.Compile(RfqInvitation)

const later = { expireTime: inHours(96) }
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)
const invitations = async (id: string) => {
  const path = `/flows/v1/rfqs/${id}/invitations`
  return (await consumer.administrator.client.get<{ items: RfqInvitation[] }>(path)).body.items
}

describe('publish', () => {
  test('DRAFT → OPEN, and invites every manufacturer', async () => {
    const id = await draft({ manufacturerIds: [maker.orgId, rival.orgId] })
    expect(await invitations(id)).toEqual([])
    expect((await buyer.act(id, 'publish')).body.state).toBe('OPEN')
    const listed = await invitations(id)
    expect(listed.map(({ state }) => state)).toEqual(['INVITED', 'INVITED'])
    expect(listed.map((invitation) => invitation.manufacturerOrgId).sort()).toEqual(
      [maker.orgId, rival.orgId].toSorted(),
    )
    expect(listed.every((invitation) => isInvitation.Check(invitation))).toBe(true)
  })

  test('without an invitee, quantities and an expiry in the future it is 409 that names the fields', async () => {
    const id = await draft({ manufacturerIds: [], quantities: [], expireTime: '2020-01-01T00:00:00Z' })
    const answer = await buyer.act(id, 'publish')
    expect([answer.status, answer.body.code]).toEqual([409, 'illegal_transition'])
    expect(fields(answer)).toEqual(['manufacturerIds', 'quantities', 'expireTime'])
    expect((await buyer.read(id)).body.state).toBe('DRAFT')
  })

  test('with the If-Match of a draft that was changed since it is 412, with the present one 200', async () => {
    const id = await draft({ manufacturerIds: [maker.orgId] })
    const tag = (await buyer.read(id)).headers.get('etag') ?? ''
    const changed = await buyer.patch(id, { quantities: [7] })
    const outdated = await buyer.act(id, 'publish', undefined, { 'if-match': tag })
    expect([outdated.status, outdated.body.code]).toEqual([412, 'precondition_failed'])
    expect([(await buyer.read(id)).body.state, await invitations(id)]).toEqual(['DRAFT', []])
    const present = { 'if-match': changed.headers.get('etag') ?? '' }
    expect((await buyer.act(id, 'publish', undefined, present)).body.state).toBe('OPEN')
  })

  test('for a part that is no longer public it is 409, and the invitee does not read the part', async () => {
    const { client } = ipOwner.administrator
    const part = await publishedPart(client)
    const { id } = (await buyer.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
    await client.post(`/flows/v1/parts/${part}/archive`)
    expect(fields(await buyer.act(id, 'publish'))).toEqual(['partId'])
    expect((await maker.administrator.client.get(`/v1/parts/${part}`)).status).toBe(404)
  })

  test('with an invitee that lost its role since it is 409', async () => {
    const former = await market.organization(['MANUFACTURER'])
    const id = await draft({ manufacturerIds: [maker.orgId, former.orgId] })
    await market.db.owner`update organization.organizations set roles = '{SELLER}' where id = ${former.orgId}`
    expect(fields(await buyer.act(id, 'publish'))).toEqual(['manufacturerIds.1'])
  })

  test('of concurrent requests one succeeds and the others are 409', async () => {
    const id = await draft()
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => buyer.act(id, 'publish')))).map((a) => a.status)
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
    expect(await invitations(id)).toHaveLength(1)
  })

  test('concurrent with the deletion of its part, either the part stays or the RFQ is refused', async () => {
    const { client } = ipOwner.administrator
    for (let round = 0; round < 5; round++) {
      const part = await publishedPart(client)
      const { id } = (await buyer.create(rfqBody(part, { manufacturerIds: [maker.orgId] }))).body
      const [published, deleted] = await Promise.all([
        buyer.act(id, 'publish'),
        client.send('DELETE', `/flows/v1/parts/${part}`),
      ])
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([published.status, deleted.status])
    }
  })
})

describe('invite', () => {
  test('adds manufacturers to an OPEN RFQ; present ones are not invited again', async () => {
    const id = await open()
    const answer = await buyer.act(id, 'invite', { manufacturerIds: [maker.orgId, rival.orgId, rival.orgId] })
    expect([answer.status, answer.body.manufacturerIds]).toEqual([200, [maker.orgId, rival.orgId]])
    const times = (await invitations(id)).map((invitation) => invitation.manufacturerOrgId)
    expect(times).toEqual([rival.orgId, maker.orgId])
    expect((await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] })).text).toBe(answer.text)
    const events = await market.db.owner<{ data: { manufacturerOrgIds: string[] } }[]>`
      select data::jsonb as data from sourcing.outbox where subject = ${id} and type = 'sourcing.rfq.invited'`
    expect(events.map(({ data }) => data.manufacturerOrgIds)).toEqual([[rival.orgId]])
  })

  test('adds an invitee to a DRAFT, who reads it after the publication', async () => {
    const id = await draft({ manufacturerIds: [] })
    await buyer.act(id, 'invite', { manufacturerIds: [maker.orgId] })
    expect((await invited.read(id)).status).toBe(404)
    await buyer.act(id, 'publish')
    expect((await invited.read(id)).status).toBe(200)
  })

  test('an unknown organization is 400 in any state, and none is invited', async () => {
    for (const id of [await draft(), await open()]) {
      const answer = await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId, 'org_unknown'] })
      expect([answer.status, fields(answer)]).toEqual([400, ['manufacturerIds.1']])
      expect((await buyer.read(id)).body.manufacturerIds).toEqual([maker.orgId])
    }
    expect((await buyer.act(await open(), 'invite', { manufacturerIds: [] })).status).toBe(400)
  })

  test('more than 100 invitees are 409', async () => {
    const id = await open()
    const many = Array.from({ length: 100 }, (_, n) => `org_many${n}`)
    await market.db.owner`
      insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
      select unnest(${many}::text[]), 'Many', '{MANUFACTURER}', 'NO', 'DIRECT', now()`
    const answer = await buyer.act(id, 'invite', { manufacturerIds: many })
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
    expect((await buyer.act(id, 'invite', { manufacturerIds: many.slice(1) })).status).toBe(200)
  })

  test('concurrent with close, the invitation succeeds before it or is 409', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await open()
      const [invite, close] = await Promise.all([
        buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] }),
        buyer.act(id, 'close'),
      ])
      expect(close.status).toBe(200)
      const isInvited = (await rfqsOf(rival.administrator.client).read(id)).status === 200
      expect([invite.status, isInvited]).toEqual(invite.status === 200 ? [200, true] : [409, false])
      expect((await buyer.read(id)).body.state).toBe('CLOSED')
    }
  })
})

describe('extend, close and reopen', () => {
  test('extend sets a later expiry of an OPEN RFQ', async () => {
    const id = await open()
    expect((await buyer.act(id, 'extend', later)).body).toMatchObject({ state: 'OPEN', ...later })
    const earlier = await buyer.act(id, 'extend', { expireTime: inHours(1) })
    expect([earlier.status, fields(earlier)]).toEqual([409, ['expireTime']])
    expect((await buyer.act(await draft(), 'extend', later)).status).toBe(409)
  })

  test('OPEN –close→ CLOSED –reopen→ OPEN, with an expiry in the future', async () => {
    const id = await open()
    expect((await buyer.act(id, 'close')).body.state).toBe('CLOSED')
    expect((await buyer.act(id, 'close')).status).toBe(409)
    const past = await buyer.act(id, 'reopen', { expireTime: inHours(-1) })
    expect([past.status, fields(past)]).toEqual([409, ['expireTime']])
    expect((await buyer.act(id, 'reopen', later)).body).toMatchObject({ state: 'OPEN', ...later })
    expect((await invited.read(id)).body).toMatchObject({ state: 'OPEN', ...later })
  })
})

describe('cancel and delete', () => {
  test.each([[[]], [['publish']], [['publish', 'close']]])('after %p an RFQ can be cancelled, once', async (path) => {
    const id = await draft()
    for (const verb of path) await buyer.act(id, verb)
    expect((await buyer.act(id, 'cancel', { reason: 'Not needed.' })).body.state).toBe('CANCELLED')
    expect((await buyer.act(id, 'cancel', { reason: 'Not needed.' })).status).toBe(409)
  })

  test('the reason of a cancellation is in the RFQ and its history, for the invited manufacturers too', async () => {
    const id = await open()
    await buyer.act(id, 'cancel', { reason: 'The ship was sold.' })
    for (const { administrator } of [consumer, ipOwner, maker]) {
      expect((await rfqsOf(administrator.client).read(id)).body.reason).toBe('The ship was sold.')
      const { body } = await administrator.client.get<{ items: { changes: unknown[] }[] }>(`/v1/rfqs/${id}/history`)
      expect(body.items[0]?.changes).toContainEqual({ field: 'reason', after: 'The ship was sold.' })
    }
  })

  test.each([[{}], [{ reason: ' ' }], [{ reason: null }], [undefined]])(
    'cancel with the body %p is 400',
    async (body) => {
      expect((await buyer.act(await draft(), 'cancel', body)).status).toBe(400)
    },
  )

  test('a draft can be deleted: 404 for all, its history too; a published RFQ cannot', async () => {
    const id = await draft()
    expect((await buyer.remove(id)).status).toBe(204)
    expect((await buyer.read(id)).status).toBe(404)
    expect((await consumer.administrator.client.get(`/v1/rfqs/${id}/history`)).status).toBe(404)
    expect((await buyer.remove(id)).status).toBe(404)
    expect((await buyer.remove(await open())).status).toBe(409)
  })
})

describe('an RFQ whose expiry has passed, before the worker saw it', () => {
  test('counts as CLOSED in every guard: it can be reopened, and its history has both changes', async () => {
    const id = await open()
    // The worker passes over an RFQ that is marked as expired.
    await market.db.owner.begin(async (tx) => {
      await tx`update sourcing.rfqs set expires_at = now() - interval '1 minute' where id = ${id}`
      await tx`update sourcing.rfqs set expired = true where id = ${id}`
    })
    for (const [verb, body] of [
      ['close', undefined],
      ['extend', later],
      ['invite', { manufacturerIds: [rival.orgId] }],
    ] as const) {
      expect([verb, (await buyer.act(id, verb, body)).status]).toEqual([verb, 409])
    }
    expect((await invited.act(id, 'decline')).status).toBe(409)
    expect((await buyer.act(id, 'reopen', later)).body.state).toBe('OPEN')
    const { body } = await consumer.administrator.client.get<{ items: { changes: unknown[] }[] }>(
      `/v1/rfqs/${id}/history?pageSize=2`,
    )
    expect(body.items.flatMap(({ changes }) => changes)).toEqual([
      { field: 'state', before: 'CLOSED', after: 'OPEN' },
      expect.objectContaining({ field: 'expireTime' }),
      { field: 'state', before: 'OPEN', after: 'CLOSED' },
    ])
  })
})

test('each command writes one audit entry and one event, in order', async () => {
  const member = await consumer.member('Buyer')
  const mine = rfqsOf(member.client)
  const { id } = (await mine.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body as Rfq
  await mine.patch(id, { quantities: [7] })
  await mine.act(id, 'publish')
  await mine.act(id, 'invite', { manufacturerIds: [rival.orgId] })
  await mine.act(id, 'extend', later)
  await mine.act(id, 'close')
  await mine.act(id, 'reopen', later)
  await invited.act(id, 'decline')
  await mine.act(id, 'cancel', { reason: 'Not needed.' })
  const entries = await market.db.owner<{ procedure: string; request: { reason?: string } }[]>`
    select procedure, request from organization.audit_log
    where actor_id = ${member.userId} and procedure like 'rfq.%' order by timestamp, id`
  expect(entries.map(({ procedure }) => procedure.slice('rfq.'.length))).toEqual([
    'create',
    'patch',
    'publish',
    'invite',
    'extend',
    'close',
    'reopen',
    'cancel',
  ])
  expect(entries.at(-1)?.request.reason).toBe('Not needed.')
  const events = await market.db.owner<{ type: string }[]>`
    select type from sourcing.outbox where subject = ${id} order by seq`
  expect(events.map(({ type }) => type.slice('sourcing.rfq.'.length))).toEqual([
    'created',
    'updated',
    'published',
    'invited',
    'extended',
    'closed',
    'reopened',
    'declined',
    'cancelled',
  ])
})
