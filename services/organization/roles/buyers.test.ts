import { expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import { migrateTest } from '../../testing/database.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import type { Page } from '../../testing/people.ts'

test('the role Buyer of an organization that exists gets the permission to receive goods, once', async () => {
  const market = await marketplaceOf([])
  const { administrator } = await market.organization(['CONSUMER'])
  const buyer = async () =>
    (await administrator.client.get<Page<Role>>('/v1/roles?q=Buyer')).body.items.map(({ permissions }) => permissions)
  const current = await buyer()
  const { owner, ownerUrl } = market.db
  await owner`update organization.roles set permissions = array_remove(permissions, 'order:update') where name = 'Buyer'`
  expect(await buyer()).not.toEqual(current)
  for (let round = 0; round < 2; round++) {
    await owner`delete from organization.schema_migrations where name = '0006_buyers_receive.sql'`
    await migrateTest(ownerUrl)
    expect(await buyer()).toEqual(current)
  }
})
