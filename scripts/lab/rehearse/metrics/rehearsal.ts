import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICES } from '../../../../proto/services.ts'
import { ensureStreams } from '../../../../services/kit/bus/nats/streams.ts'
import { ApiClient } from '../../../../services/testing/client.ts'
import { ConstantLoad } from '../../../../services/testing/constant-load.ts'
import { testDatabase } from '../../../../services/testing/database.ts'
import { Deployment } from '../../../../services/testing/deployment.ts'
import { TestMailServer } from '../../../../services/testing/mail/server.ts'
import { expecting, MarketLoad } from '../../../../services/testing/market-load.ts'
import { createFixtures, TEST_PASSWORD } from '../../../../services/testing/marketplace.ts'
import { natsServer } from '../../../../services/testing/nats-server.ts'
import { WebhookReceiver } from '../../../../services/testing/receiver.ts'
import { signInOverHttp } from '../../../../services/testing/sign-in.ts'
import { importDefaults } from '../../../commands/operator/catalog.ts'
import { BUN, commandFile } from '../../../toolchain/checkout.ts'
import { run } from '../../../toolchain/run.ts'
import { CHART, renderMonitoring } from './chart.ts'
import { requireData } from './dashboard.ts'
import { Prometheus } from './prometheus.ts'

setDefaultTimeout(600_000)
const REQUESTS_PER_SECOND = 3
/** Load before, during and after a peak. */
const PHASE_MS = 30_000
const REPLICAS = 1

const folder = await mkdtemp(join(tmpdir(), 'metrics-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const monitoring = await renderMonitoring('market', 'production')

test('promtool accepts the alerts, and each fires when it should', async () => {
  const rules = join(folder, 'alerts.yml')
  await Bun.write(rules, JSON.stringify(monitoring.rules.spec))
  const promtool = process.env.TEST_PROMTOOL ?? ''
  for (const words of [
    ['check', 'rules', rules],
    ['test', 'rules', join(CHART, 'tests', 'alerts.yaml')],
  ]) {
    const { code, output } = await run([promtool, ...words])
    expect([code, output]).toEqual([0, expect.stringContaining('SUCCESS')])
  }
})

test('under load every panel has data and no alert fires', async () => {
  const nats = await natsServer()
  await nats.start()
  await ensureStreams({ url: nats.url })
  const db = await testDatabase()
  await importDefaults(db.ownerUrl)
  const mail = await new TestMailServer().start()
  const env = {
    ALLOW_PRIVATE_ADDRESSES: 'true',
    DATABASE_POOL_SIZE: '8',
    SMTP_URL: mail.url,
    MAIL_FROM: 'no-reply@example.com',
  }
  const deployment = await Deployment.start({ db, natsUrl: nats.url, env, replicas: REPLICAS })
  const targets = SERVICES.flatMap((service) =>
    deployment.replicasOf(service).map(({ health }, index) => ({
      ...{ service, pod: `market-marketplace-${service}-${index}` },
      address: new URL(health).host,
    })),
  )
  const prometheus = await Prometheus.start({ program: process.env.TEST_PROMETHEUS ?? '', monitoring, targets, folder })
  const start = Date.now() / 1000

  const fixtures = await createFixtures(db, signInOverHttp(deployment.url))
  const operator = (await fixtures.operator()).administrator
  const [first, second] = [await fixtures.organization(['IP_OWNER']), await fixtures.organization(['IP_OWNER'])]
  await new WebhookReceiver().subscribe(first.administrator.client, ['cases.created'])
  const failing = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(null, { status: 503 }) })
  await second.administrator.client.post('/v2.3/webhooks/endpoints', {
    url: failing.url.href,
    events: ['cases.created'],
  })

  const load = new MarketLoad(
    first,
    deployment.url,
    (client) => ({
      'read a missing part': expecting(404, () => client.get('/v1/parts/part_00000000000000000000000000')),
      'create an invalid part': expecting(400, () => client.post('/v1/parts', { title: 7 })),
    }),
    REQUESTS_PER_SECOND,
  )
  const token = (password: string) =>
    new ApiClient(deployment.url).post('/v2.3/oauth/token', {
      ...{ grant_type: 'password', username: second.administrator.email, password },
    })
  const signIns = new ConstantLoad({ 'sign in': expecting(200, () => token(TEST_PASSWORD)) }, { perSecond: 1 })
  await Bun.sleep(PHASE_MS)
  const peak = new MarketLoad(second, deployment.url, undefined, 3 * REQUESTS_PER_SECOND)
  const demo = await run([BUN, commandFile('demo'), '--url', deployment.url, '--operator', operator.email], {
    env: { PATH: process.env.PATH, PASSWORD: TEST_PASSWORD },
  })
  expect([demo.code, demo.output]).toEqual([0, expect.stringContaining('is COMPLETED')])
  await Bun.sleep(PHASE_MS)
  await peak.stop()
  await Bun.sleep(PHASE_MS)
  await Promise.all([load.stop(), signIns.stop()])
  expect([...load.failures, ...peak.failures, ...signIns.failures]).toEqual([])

  const end = Date.now() / 1000
  await requireData(monitoring.dashboard, prometheus, { start, end, stepSeconds: 2 })
  const { groups } = await prometheus.ask<{ groups: { rules: { name: string; health: string; state: string }[] }[] }>(
    'rules',
  )
  const alerts = groups.flatMap(({ rules }) => rules)
  expect(alerts.length).toBe(monitoring.rules.spec.groups.flatMap(({ rules }) => rules).length)
  expect(alerts.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([])

  await prometheus.stop()
  await failing.stop(true)
  await deployment.stop()
  await nats.close()
  await mail.kill()
})
