import { afterEach, beforeAll, beforeEach, describe, setDefaultTimeout } from 'bun:test'
import { deliveryTests } from './delivery.ts'
import { followingTests } from './follow.ts'
import { createEffects, joinBus, type Member, type Rig } from './harness.ts'
import { killTests } from './kills.ts'

/** One suite for every driver of the bus, on a real Postgres and whatever real server the driver needs. */
export function conformance(open: () => Promise<Rig>): void {
  setDefaultTimeout(60_000)
  let rig: Rig
  let sourcing: Member
  let webhooks: Member

  beforeAll(async () => {
    rig = await open()
    await createEffects(rig.database.owner)
  })
  beforeEach(async () => {
    const address = { ...rig, urlOf: rig.database.urlOf }
    sourcing = await joinBus(address, 'sourcing')
    webhooks = await joinBus(address, 'webhooks')
    sourcing.start(sourcing.bus.relay())
  })
  afterEach(async () => {
    await Promise.all([sourcing.stop(), webhooks.stop()])
  })

  const members = () => ({ sourcing, webhooks })
  describe('delivery', () => deliveryTests(() => rig, members))
  describe('kills', () => killTests(() => rig, members))
  describe('following', () => followingTests(() => rig, members))
}
