import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { holdRequest } from '../../testing/socket.ts'

let aheadMs = 0
const market = await marketplaceOf(['sourcing'], { DATABASE_POOL_SIZE: '1' }, undefined, {
  clock: () => Date.now() + aheadMs,
})
const { client } = (await market.organization(['IP_OWNER'])).administrator

/** With one connection for each service, a command that needed a second one would wait for itself. */
const commands = [
  ['POST /v1/parts', {}, 200],
  ['POST /flows/v1/roles', { name: 'Drawing office', permissions: [] }, 201],
  ['POST /v2.3/oauth/revoke', { token: client.accessToken }, 200],
] as const

test.each(commands)(
  '%s needs one connection, also when the signing keys have to be loaded again',
  async (...command) => {
    const [target, body, status] = command
    const headers = { authorization: `Bearer ${client.accessToken}` }
    const { finish } = await holdRequest(market.running.port, { target, headers, body: JSON.stringify(body) })
    await market.anonymous.get('/.well-known/jwks.json')
    // The keys are loaded again after 30 seconds.
    aheadMs += 31_000
    expect((await finish()).status).toBe(status)
  },
)
