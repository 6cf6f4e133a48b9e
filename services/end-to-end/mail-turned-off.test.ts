import { expect, test } from 'bun:test'
import type { AllConfig } from '../all/config.ts'
import { createServices } from '../all/services.ts'
import { emitAny } from '../kit/bus/outbox/emit.ts'
import { connect } from '../kit/db/client.ts'
import { open } from '../kit/service/run.ts'
import { marketplaceWithMail } from '../testing/mail/market.ts'
import { until } from '../testing/until.ts'

const { market, confirmed, collected } = await marketplaceWithMail(['sourcing'])
const { owner } = market.db
const sourcing = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-sourcing' })
market.db.beforeDrop(() => sourcing.end({ timeout: 1 }))

const cursors = () => owner`select source from organization.bus_cursors where consumer = 'mail'`
const unsent = async () => (await owner`select seq from sourcing.outbox where sent_at is null`).length

const { SMTP_URL: _, ...withoutMail } = market.config

/** A replica with settings of its own. */
async function started(config: AllConfig) {
  const services = await createServices(['identity', 'organization', 'sourcing'], config)
  const running = await open({ services: Object.values(services), config, ownerOf: () => services.organization })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= running.stop()
    return stopped
  }
  market.db.beforeDrop(stop)
  return stop
}

test('a marketplace whose SMTP_URL was unset keeps no events for mails, and goes on without repetitions', async () => {
  const org = await market.organization(['MANUFACTURER'])
  const address = await confirmed(org)
  const assignment = {
    orderId: 'order_1',
    orderSerialNumber: 'O-00000000',
    rfqId: 'rfq_1',
    dueDate: '2040-01-02',
  }
  // The same step of an order again would be told once.
  const tell = (id: string, status: string) =>
    sourcing.begin((tx) =>
      emitAny(tx, {
        type: 'assignments.status.updated',
        tenantId: org.orgId,
        subject: id,
        data: { assignment: { ...assignment, status } },
      }),
    )
  await tell('assignment_1', 'CONFIRMED')
  await collected(address, 1)
  const before = await cursors()
  expect(before.length).toBeGreaterThan(0)

  // The replica with mail goes on as long as it runs.
  const stopWithout = await started(withoutMail)
  await tell('assignment_2', 'IN_PRODUCTION')
  await collected(address, 2)
  expect(await cursors()).toHaveLength(before.length)
  await market.stop()
  await until(async () => (await cursors()).length === 0, { what: 'the end of the cursors' })
  await tell('assignment_3', 'INSPECTION')
  await until(async () => (await unsent()) === 0, { what: 'events that every consumer has read' })
  await stopWithout()

  const stopAgain = await started(market.config)
  expect(await collected(address, 3)).toHaveLength(3)
  await stopAgain()
})
