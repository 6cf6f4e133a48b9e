import { expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import { migrateTest } from '../../testing/database.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import type { Page } from '../../testing/people.ts'

test('the role Buyer of an organization that exists gets the permission to receive goods, once', async () => {
  const market = await marketplaceWithWorkers([])
  const { administrator } = await market.organization(['CONSUMER'])
  const buyer = async () =>
    (await administrator.client.get<Page<Role>>('/v1/roles?q=Buyer')).body.items.map(({ permissions }) => permissions)
  const current = await buyer()
  const { owner, ownerUrl } = market.db
  await owner`
    update organization.roles set permissions = array_remove(array_remove(permissions, 'order:receive'), 'assignment:manage')
    where name = 'Buyer'`
  expect(await buyer()).not.toEqual(current)
  for (let round = 0; round < 2; round++) {
    await owner`
      delete from organization.schema_migrations where name in ('0006_buyers_receive.sql', '0015_receivers.sql')`
    await migrateTest(ownerUrl)
    expect(await buyer()).toEqual(current)
  }
})

test('roles of a consumer that report order steps also receive goods; those of a manufacturer do not', async () => {
  const market = await marketplaceWithWorkers([])
  const roles: string[] = []
  for (const role of ['CONSUMER', 'MANUFACTURER'] as const) {
    const { administrator } = await market.organization([role])
    const body = { name: 'Logistics', permissions: ['order:update', 'case:read'] }
    roles.push((await administrator.client.post<Role>('/flows/v1/roles', body)).body.id)
  }
  const { owner, ownerUrl } = market.db
  await owner`delete from organization.schema_migrations where name = '0015_receivers.sql'`
  await migrateTest(ownerUrl)
  const migrated = await owner<{ id: string; permissions: string[] }[]>`
    select id, permissions from organization.roles where id = any(${roles})`
  expect(roles.map((id) => migrated.find((role) => role.id === id)?.permissions)).toEqual([
    ['order:update', 'order:receive', 'case:read'],
    ['order:update', 'case:read'],
  ])
})
