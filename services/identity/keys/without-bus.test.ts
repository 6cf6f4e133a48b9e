import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'

/** Without workers there are no heartbeats, as while the bus is down. */
const market = await marketplaceOf(['sourcing', 'catalog'])
const { client } = (await market.organization(['IP_OWNER'])).administrator

const statuses = async () => {
  const paths = ['/v1/parts', '/v1/users', '/flows/v1/sessions', '/v1/materials']
  return (await Promise.all(paths.map((path) => client.get(path)))).map(({ status }) => status)
}

test('a token of a key whose revocation was not announced is 401 in every service', async () => {
  expect(await statuses()).toEqual([200, 200, 200, 200])
  await market.db.owner`delete from identity.signing_keys`
  expect(await statuses()).toEqual([401, 401, 401, 401])
})
