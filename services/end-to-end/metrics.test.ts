import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { SERVICES } from '../../proto/services.ts'
import { createServices } from '../all/services.ts'
import { natsMetrics } from '../kit/bus/metrics.ts'
import { readMetrics, sharedMetrics } from '../kit/db/metrics.ts'
import { open } from '../kit/service/run.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { parseMetrics, problemsOf } from '../testing/metric-names.ts'

// Without a server for mail its metrics are absent; none listens there.
const market = await testMarketplace({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' })
const org = await market.organization(['IP_OWNER'])

const scrape = async (healthPort: number) => (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
const metricsOf = async (healthPort: number) => parseMetrics(await scrape(healthPort))
const seriesOf = async (name: string) =>
  (await metricsOf(market.running.healthPort)).find((metric) => metric.name === name)?.series ?? []

test('metrics of all services in one process: valid names, each described once', async () => {
  const metrics = await metricsOf(market.running.healthPort)
  expect(problemsOf(metrics)).toEqual([])
  const builds = metrics.find(({ name }) => name === 'marketplace_build_info')?.series ?? []
  expect(builds.map((line) => /component="(\w+)"/.exec(line)?.[1])).toEqual(expect.arrayContaining([...SERVICES]))
})

test('metrics of one service: the same names', async () => {
  const services = await createServices(['catalog'], market.config)
  const [service] = Object.values(services)
  if (!service) throw new Error('no service')
  const running = await open({ services: [service], config: market.config, ownerOf: () => service })
  try {
    const metrics = await metricsOf(running.healthPort)
    expect(problemsOf(metrics)).toEqual([])
    expect(metrics.map(({ name }) => name)).toContain('marketplace_http_request_duration_seconds')
  } finally {
    await running.stop()
  }
})

test('process, connections and queues have metrics', async () => {
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds']) {
    expect([name, (await seriesOf(name)).length]).toEqual([name, 1])
  }
  expect((await seriesOf('marketplace_database_pool_size')).length).toBe(SERVICES.length)
  expect(await seriesOf('marketplace_database_connections')).toContainEqual(
    expect.stringMatching(/^marketplace_database_connections\{state="active",component="sourcing"\} [1-9]/),
  )
  const limits = await seriesOf('marketplace_concurrency_limit')
  for (const work of ['changes', 'searches', 'long reads', 'uploads', 'file jobs', 'sign-ins']) {
    expect(limits).toContainEqual(expect.stringContaining(`work="${work}"`))
  }
})

test('a consumer without failing events reports zero', async () => {
  const consumers = (await seriesOf('marketplace_consumer_lag_events')).map(
    (line) => /consumer="[^"]+"/.exec(line)?.[0],
  )
  expect(consumers.length).toBeGreaterThan(SERVICES.length)
  const failed = await seriesOf('marketplace_consumer_failed_events')
  for (const state of ['retrying', 'dead']) {
    expect(failed).toContainEqual(expect.stringMatching(new RegExp(`state="${state}".* 0$`)))
  }
  expect(failed.length).toBe(2 * consumers.length)
})

test('a sign-in and a wrong password are counted by result', async () => {
  const countOf = async (result: string) =>
    Number(
      (await seriesOf('marketplace_sign_ins_total'))
        .find((line) => line.includes(`result="${result}"`))
        ?.split(' ')[1] ?? 0,
    )
  const [successes, failures] = [await countOf('success'), await countOf('invalid_credentials')]
  const wrong = { grant_type: 'password', username: org.administrator.email, password: 'a wrong password' }
  expect((await market.anonymous.post('/v2.3/oauth/token', wrong)).status).toBe(401)
  const { refreshToken } = org.administrator.client
  const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken }
  expect((await market.anonymous.post('/v2.3/oauth/token', refresh)).status).toBe(200)
  expect([await countOf('success'), await countOf('invalid_credentials')]).toEqual([successes + 1, failures + 1])
})

test.each([
  ['# HELP a_total x\n# TYPE a_total gauge\na_total 1\n', 'a_total must end with _total'],
  ['# HELP wait_ms x\n# TYPE wait_ms gauge\nwait_ms 1\n', 'wait_ms abbreviates a unit'],
  ['# HELP a_count x\n# TYPE a_count gauge\na_count 1\n', 'a_count has a suffix'],
])('the check of names refuses %j', (text, problem) => {
  expect(problemsOf(parseMetrics(text))).toEqual([expect.stringContaining(problem)])
})

const partition = (names: readonly string[], isFirst: (name: string) => boolean) => [
  names.filter(isFirst),
  names.filter((name) => !isFirst(name)),
]

/** The metrics of a PromQL expression: its words that are no functions, labels or values. */
const metricsIn = (expression: string) =>
  expression
    .replace(/\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, '')
    .match(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b(?!\()/g)
    ?.map((name) => name.replace(/_(count|sum|bucket)$/, '')) ?? []

interface DashboardPanel {
  title: string
  targets?: { expr: string }[]
  fieldConfig?: { defaults: { thresholds?: { steps: { value: number | null }[] } } }
}

const files = join(import.meta.dir, '..', '..', 'charts', 'marketplace', 'files')
const { groups } = Bun.YAML.parse(await Bun.file(join(files, 'alerts.yaml')).text()) as {
  groups: { rules: { alert: string; expr: string }[] }[]
}
const alerts = groups.flatMap(({ rules }) => rules)
const { panels }: { panels: DashboardPanel[] } = await Bun.file(join(files, 'dashboard.json')).json()

test('alerts and dashboard of the chart use metrics that exist, of one installation', async () => {
  const expressions = [
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ]
  expect(expressions.length).toBeGreaterThan(25)
  const known = new Set((await metricsOf(market.running.healthPort)).map(({ name }) => name))
  // These services run without NATS, without a replica, and share a Postgres.
  const others = new Registry()
  natsMetrics(others, () => true)
  readMetrics(others)
  sharedMetrics(others, market.db.owner)
  for (const { name } of others.getMetricsAsArray()) known.add(name)
  for (const [title, expression] of expressions) {
    const [ofCluster = [], own = []] = partition(metricsIn(expression), (name) => /^(kube|container)_/.test(name))
    expect([title, own.length + ofCluster.length]).not.toEqual([title, 0])
    expect([title, own.filter((name) => !known.has(name))]).toEqual([title, []])
    expect([title, expression.match(/[{,]job=/g)?.length ?? 0]).toEqual([title, own.length])
    expect([title, expression.match(/[{,]namespace="/g)?.length ?? 0]).toEqual([title, ofCluster.length])
  }
  expect(metricsIn('sum by (x_y) (rate(no_such_metric_count{a_b="c_d"}[5m]))')).toEqual(['no_such_metric'])
})

test('the dashboard shows each metric of webhooks', async () => {
  const shown = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)))
  const names = (await metricsOf(market.running.healthPort)).map(({ name }) => name)
  const ofWebhooks = names.filter((name) => name.startsWith('marketplace_webhook_'))
  expect(ofWebhooks).toContain('marketplace_webhook_delivery_latency_seconds')
  expect(ofWebhooks.filter((name) => !shown.includes(name))).toEqual([])
})

test('the thresholds of the dashboard are those of the alerts on the same metric', () => {
  const limits = panels.flatMap(({ title, targets = [], fieldConfig }) => {
    const value = fieldConfig?.defaults.thresholds?.steps.at(-1)?.value ?? undefined
    return value === undefined ? [] : [{ title, value, metric: metricsIn(targets[0]?.expr ?? '')[0] }]
  })
  expect(limits.length).toBeGreaterThan(3)
  for (const { title, value, metric } of limits) {
    const alertLimits = alerts
      .filter(({ expr }) => metricsIn(expr)[0] === metric)
      .map(({ expr }) => Number(/> ([\d.]+)\s*$/.exec(expr)?.[1]))
    expect([title, ...alertLimits]).toContain(value)
  }
})
