import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SERVICES } from '../../proto/services.ts'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { testDatabase } from '../testing/database.ts'
import { Deployment } from '../testing/deployment.ts'
import { MarketLoad } from '../testing/market-load.ts'
import { createFixtures } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { WebhookReceiver } from '../testing/receiver.ts'
import { signInOverHttp } from '../testing/sign-in.ts'

setDefaultTimeout(400_000)
const nats = await natsServer()
await nats.start()
await ensureStreams({ url: nats.url })
afterAll(() => nats.close())

const GRACE_SECONDS = 10

describe.each([
  ['postgres', undefined],
  ['nats', nats.url],
] as const)('on the %s bus', async (_, natsUrl) => {
  const db = await testDatabase()
  const receiver = new WebhookReceiver()

  test('every replica is replaced under load: every request is answered, every event delivered, every process exits with 0', async () => {
    const env = {
      ALLOW_PRIVATE_ADDRESSES: 'true',
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      SHUTDOWN_SECONDS: String(GRACE_SECONDS),
    }
    const deployment = await Deployment.start({ db, natsUrl, env })
    const fixtures = await createFixtures(db, signInOverHttp(deployment.url))
    const org = await fixtures.organization(['IP_OWNER', 'CONSUMER'])
    await receiver.subscribe(org.administrator.client, ['cases.created'])
    const load = new MarketLoad(org, deployment.url)
    await load.more(5)
    const ends = await deployment.roll(SERVICES)
    await load.more(5)
    await load.stop()
    expect(load.failures).toEqual([])
    expect(deployment.ingress.failures).toEqual([])
    await load.delivered(receiver)
    ends.push(...(await deployment.stop()))
    expect(ends).toHaveLength(4 * SERVICES.length)
    for (const end of ends) expect(end).toMatchObject({ exitCode: 0 })
    for (const { tookMs } of ends) expect(tookMs).toBeLessThan(GRACE_SECONDS * 1000)
  })
})
