import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'

/** Without workers there are no heartbeats, as while the bus is down. */
let aheadMs = 0
const market = await marketplaceOf(['sourcing', 'catalog'], {}, undefined, { clock: () => Date.now() + aheadMs })
const { client } = (await market.organization(['IP_OWNER'])).administrator

const statuses = async () => {
  const paths = ['/v1/parts', '/v1/users', '/flows/v1/sessions', '/v1/materials']
  return (await Promise.all(paths.map((path) => client.get(path)))).map(({ status }) => status)
}

test('a token of a key whose revocation was not announced is 401 in every service after two seconds', async () => {
  expect(await statuses()).toEqual([200, 200, 200, 200])
  await market.db.owner`delete from identity.signing_keys`
  aheadMs += 2001
  expect(await statuses()).toEqual([401, 401, 401, 401])
})
