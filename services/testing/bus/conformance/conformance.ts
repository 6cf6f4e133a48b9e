import { afterEach, beforeAll, beforeEach, describe, setDefaultTimeout } from 'bun:test'
import { createEffects, type Harness, type Member, openBus } from '../harness.ts'
import { deliveryTests } from './delivery.ts'
import { killTests } from './kills.ts'
import { subscribeTests } from './subscribe.ts'

/** The conformance suite of the bus drivers, on a real Postgres and the real server of the driver. */
export function conformance(open: () => Promise<Harness>): void {
  setDefaultTimeout(60_000)
  let harness: Harness
  let sourcing: Member
  let webhooks: Member

  beforeAll(async () => {
    harness = await open()
    await createEffects(harness.database.owner)
  })
  beforeEach(async () => {
    const address = { ...harness, urlOf: harness.database.urlOf }
    sourcing = await openBus(address, 'sourcing')
    webhooks = await openBus(address, 'webhooks')
    sourcing.start(sourcing.bus.relay())
  })
  afterEach(async () => {
    await Promise.all([sourcing.stop(), webhooks.stop()])
  })

  const members = () => ({ sourcing, webhooks })
  describe('delivery', () => deliveryTests(() => harness, members))
  describe('kills', () => killTests(() => harness, members))
  describe('subscribe', () => subscribeTests(() => harness, members))
}
