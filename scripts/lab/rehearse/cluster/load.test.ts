import { expect, test } from 'bun:test'
import { marketplaceOf, TEST_PASSWORD } from '../../../../services/testing/marketplace.ts'
import { until } from '../../../../services/testing/until.ts'
import { isUnavailable, since } from './counts.ts'
import { ServiceLoad } from './load.ts'

const market = await marketplaceOf(['organization', 'identity', 'catalog', 'sourcing', 'webhooks'])
const { hostname: host, port } = new URL(market.url)

test('the load counts its requests, and a part that is lost afterwards is missing', async () => {
  const { orgId, administrator } = await market.organization(['IP_OWNER'])
  const account = { username: administrator.email, password: TEST_PASSWORD, orgId }
  const load = new ServiceLoad(() => ({ host, port: Number(port) }), account)
  await load.start()
  await until(() => load.counts.acknowledged > 10, { what: 'acknowledged writes' })
  await load.stop()
  expect(load.failures).toEqual([])
  expect(load.counts).toMatchObject({ succeeded: load.counts.sent, unavailable: 0, failed: 0 })
  expect(await load.missing()).toEqual([])
  const [part] = await market.db.owner<{ id: string }[]>`
    delete from sourcing.parts
    where id = (select max(id) from sourcing.parts where ip_owner_org_id = ${orgId} and title = 'Flange') returning id`
  expect(await load.missing()).toEqual([expect.stringContaining(`${part?.id}: 404 `)])
})

test('a change that was acknowledged and is lost is missing', async () => {
  const { orgId, administrator } = await market.organization(['IP_OWNER'])
  const account = { username: administrator.email, password: TEST_PASSWORD, orgId }
  const load = new ServiceLoad(() => ({ host, port: Number(port) }), account)
  await load.start()
  const changed = () => market.db.owner`
    select from sourcing.parts where ip_owner_org_id = ${orgId} and title = 'Flange 2'`
  await until(async () => (await changed()).length > 0, { what: 'two changes' })
  await load.stop()
  await market.db.owner`update sourcing.parts set content = '{"title":"Flange 1"}' where title like 'Flange %'`
  expect(await load.missing()).toEqual([expect.stringContaining('Flange 1')])
})

test('a service that does not listen is a failure, and its requests are repeated', async () => {
  const { orgId, administrator } = await market.organization(['IP_OWNER'])
  const account = { username: administrator.email, password: TEST_PASSWORD, orgId }
  const unreachable = Bun.listen({ hostname: host, port: 0, socket: { data() {} } })
  unreachable.stop(true)
  const addressOf = (service: string) => ({ host, port: service === 'catalog' ? unreachable.port : Number(port) })
  const load = new ServiceLoad(addressOf, account)
  await load.start()
  await until(() => load.counts.failed > 5, { what: 'failures' })
  await load.stop()
  expect(load.failures[0]).toMatch(/GET \/v1\/materials after \d+ ms: Error: connect ECONNREFUSED/)
})

test('only a 503 with its code and the time to wait is documented', () => {
  const body = '{"code":"unavailable"}'
  expect(isUnavailable({ status: 503, headers: { 'retry-after': '1' }, body })).toBe(true)
  expect(isUnavailable({ status: 503, headers: {}, body })).toBe(false)
  expect(isUnavailable({ status: 503, headers: { 'retry-after': '1' }, body: 'upstream' })).toBe(false)
  expect(isUnavailable({ status: 500, headers: { 'retry-after': '1' }, body })).toBe(false)
})

test('a step has the difference of the counts', () => {
  const before = { sent: 10, succeeded: 8, unavailable: 1, acknowledged: 3, failed: 1 }
  const after = { sent: 15, succeeded: 12, unavailable: 2, acknowledged: 5, failed: 1 }
  expect(since(after, before)).toEqual({ sent: 5, succeeded: 4, unavailable: 1, acknowledged: 2, failed: 0 })
})
