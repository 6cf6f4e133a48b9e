import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import { FactoryRelease } from '../../../proto/http/sourcing/factory-administration.ts'
import type { ApiClient } from '../../testing/client.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf, RACING } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'], RACING)
const manufacturer = await market.organization(['MANUFACTURER'])
const [distributor, other] = [await market.organization(['DISTRIBUTOR']), await market.organization(['DISTRIBUTOR'])]
const engaged = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
const direct = await market.organization(['CONSUMER'])
const maker = manufacturer.administrator.client

type Problem = { code: string; errors?: { field: string; message: string }[] }

const send = (
  verb: 'release' | 'withdraw',
  id: string,
  orgId = engaged.orgId,
  client: ApiClient = distributor.administrator.client,
) => client.post<Factory & Problem>(`/flows/v1/factories/${id}/${verb}`, { orgId })
const listed = async () =>
  (
    await engaged.administrator.client.get<{ items: Factory[] }>('/v1/factories?view=CONSUMER&pageSize=50')
  ).body.items.map(({ id }) => id)

describe('POST /flows/v1/factories/{id}/release and withdraw', () => {
  test('take effect at once, return the factory and emit an event each', async () => {
    const factory = await createFactory(maker)
    const released = await send('release', factory.id)
    expect([released.status, released.body]).toEqual([200, factory as never])
    expect(await listed()).toEqual([factory.id])
    expect((await send('withdraw', factory.id)).status).toBe(200)
    expect(await listed()).toEqual([])
    const events = await market.db.owner<{ type: string }[]>`
      select type from sourcing.outbox where subject = ${factory.id} order by id`
    expect(events.map(({ type }) => type)).toEqual([
      'sourcing.factory.created',
      'sourcing.factory.released',
      'sourcing.factory.withdrawn',
    ])
  })

  test('of two concurrent releases one is 200 and the other 409, and so are two withdrawals', async () => {
    const { id } = await createFactory(maker)
    for (const verb of ['release', 'withdraw'] as const) {
      const both = await Promise.all([send(verb, id), send(verb, id)])
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect(both.find(({ status }) => status === 409)?.body.code).toBe('conflict')
    }
  })

  test('an organization that is not engaged through the caller is 400, like an unknown one', async () => {
    const { id } = await createFactory(maker)
    for (const verb of ['release', 'withdraw'] as const) {
      for (const orgId of [direct.orgId, 'org_unknown', distributor.orgId]) {
        const { status, body } = await send(verb, id, orgId)
        expect([status, body.errors?.[0]?.field]).toEqual([400, 'orgId'])
      }
      expect((await send(verb, id, engaged.orgId, other.administrator.client)).status).toBe(400)
    }
  })

  test('an internal, inactive or unknown factory is 404', async () => {
    const internal = await createFactory(maker, { internal: true })
    const closed = await createFactory(maker)
    await maker.post(`/flows/v1/factories/${closed.id}/deactivate`)
    for (const id of [internal.id, closed.id, 'factory_unknown']) {
      expect((await send('release', id)).status).toBe(404)
      expect((await send('withdraw', id)).status).toBe(404)
    }
  })

  test('a released factory that is deactivated or internal is not listed; its release is withdrawn without showing it', async () => {
    for (const hide of [
      (id: string) => maker.post(`/flows/v1/factories/${id}/deactivate`),
      (id: string) => maker.send('PATCH', `/flows/v1/factories/${id}`, { body: { internal: true, name: 'Secret' } }),
    ]) {
      const { id } = await createFactory(maker)
      await send('release', id)
      await hide(id)
      expect(await listed()).toEqual([])
      const { status, text } = await send('withdraw', id)
      expect([status, text]).toEqual([204, ''])
      await maker.post(`/flows/v1/factories/${id}/activate`)
      await maker.send('PATCH', `/flows/v1/factories/${id}`, { body: { internal: false } })
      expect(await listed()).toEqual([])
    }
  })

  test('a withdrawal that shows nothing is 204 without a body again for the same Idempotency-Key', async () => {
    const { id } = await createFactory(maker)
    await send('release', id)
    await maker.post(`/flows/v1/factories/${id}/deactivate`)
    const withdraw = () =>
      distributor.administrator.client.post(
        `/flows/v1/factories/${id}/withdraw`,
        { orgId: engaged.orgId },
        { 'idempotency-key': 'withdraw-a-hidden-factory' },
      )
    for (const { status, text } of [await withdraw(), await withdraw()]) expect([status, text]).toEqual([204, ''])
  })

  test('a renamed factory takes its new place in the list of released ones', async () => {
    const first = await createFactory(maker, { name: 'Alpha' })
    const second = await createFactory(maker, { name: 'Beta' })
    for (const { id } of [first, second]) await send('release', id)
    await maker.send('PATCH', `/flows/v1/factories/${first.id}`, { body: { name: 'Gamma' } })
    expect(await listed()).toEqual([second.id, first.id])
    for (const { id } of [first, second]) await send('withdraw', id)
  })

  test('without the permission is 403, for the manufacturer of the factory too', async () => {
    const { id } = await createFactory(maker)
    const viewer = await distributor.member('Viewer')
    for (const client of [viewer.client, maker, direct.administrator.client]) {
      expect((await send('release', id, engaged.orgId, client)).status).toBe(403)
    }
  })
})

describe('GET /flows/v1/factory-releases', () => {
  interface Release {
    factory: Factory
    orgIds: string[]
  }
  const page = (query = '', client: ApiClient = distributor.administrator.client) =>
    client.get<{ items: Release[]; hasMore: boolean } & Problem>(`/flows/v1/factory-releases${query}`)
  const isRelease = TypeCompiler.Compile(FactoryRelease)
  // A name that no other test uses, and a search for it.
  const create = (name: string, more: object = {}) => createFactory(maker, { name: `Ystad ${name}`, ...more })
  const found = async (query = '', client?: ApiClient) => {
    const { status, body } = await page(`?q=ystad&pageSize=50${query}`, client)
    expect([status, body.items.every((item) => isRelease.Check(item))]).toEqual([200, true])
    return body.items.map(({ factory, orgIds }) => [factory.name.slice('Ystad '.length), orgIds])
  }

  test('lists active factories that are not internal by name, and to whom the caller has released them', async () => {
    const second = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
    const others = await market.organization(['CONSUMER'], { distributorOrgId: other.orgId })
    const [b, a] = [await create('B'), await create('A')]
    const closed = await create('C')
    await create('D', { internal: true })
    for (const orgId of [engaged.orgId, second.orgId]) await send('release', a.id, orgId)
    await send('release', b.id, others.orgId, other.administrator.client)
    await send('release', closed.id)
    await maker.post(`/flows/v1/factories/${closed.id}/deactivate`)
    expect(await found()).toEqual([
      ['A', [engaged.orgId, second.orgId].toSorted()],
      ['B', []],
    ])
    expect(await found('', other.administrator.client)).toEqual([
      ['A', []],
      ['B', [others.orgId]],
    ])
    expect((await page('?q=ystad&pageSize=1')).body).toMatchObject({ items: [{ factory: a }], hasMore: true })
    expect((await page('?q=ystad&pageSize=1&page=2')).body).toMatchObject({ items: [{ factory: b }], hasMore: false })
    expect(await found(`&orgId=${engaged.orgId}`)).toEqual([['A', [engaged.orgId, second.orgId].toSorted()]])
    await send('withdraw', a.id)
    expect(await found(`&orgId=${engaged.orgId}`)).toEqual([])
    expect(await found(`&orgId=${second.orgId}`)).toEqual([['A', [second.orgId]]])
    // An organization that is engaged through another distributor, or unknown, has no releases of this one.
    for (const orgId of [others.orgId, direct.orgId, 'org_unknown']) expect(await found(`&orgId=${orgId}`)).toEqual([])
  })

  test('a release to an organization that left the distributor is not listed', async () => {
    const leaving = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
    const { id } = await createFactory(maker, { name: 'Lund Foundry' })
    await send('release', id, leaving.orgId)
    const listed = async () => (await page('?q=lund%20foundry')).body.items.map(({ orgIds }) => orgIds)
    expect(await listed()).toEqual([[leaving.orgId]])
    await market.db.owner`
      update organization.organizations set distributor_org_id = ${other.orgId} where id = ${leaving.orgId}`
    expect(await listed()).toEqual([[]])
    expect((await page(`?orgId=${leaving.orgId}`)).body.items).toEqual([])
    // Its new distributor has not released the factory.
    const { body } = await page('?q=lund%20foundry', other.administrator.client)
    expect(body.items.map(({ orgIds }) => orgIds)).toEqual([[]])
  })

  test('without the permission is 403', async () => {
    const viewer = await distributor.member(['app:distributor'])
    for (const client of [viewer.client, maker, direct.administrator.client]) {
      expect((await page('', client)).status).toBe(403)
    }
  })
})
