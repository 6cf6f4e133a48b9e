import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'nats'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { emit } from '../kit/bus/outbox/emit.ts'
import { connect as connectToDatabase } from '../kit/db/client.ts'
import { marketplaceOf } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { until } from '../testing/until.ts'

/** The configuration and the program of the guide, on a real server. */
setDefaultTimeout(60_000)
const ROOT = join(import.meta.dir, '..', '..')
const guide = await Bun.file(join(ROOT, 'proto', 'guides', 'event-streams.md')).text()
/** The block of a language that begins with some text. */
const blockOf = (language: string, start = '') =>
  new RegExp(`\`\`\`${language}\\n(${start}[\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''

const folder = await mkdtemp(join(tmpdir(), 'event-streams-'))
afterAll(() => rm(folder, { recursive: true }))
const configuration = join(folder, 'nats.conf')
await Bun.write(configuration, blockOf('conf').replace('$MARKETPLACE_SECRET', 'm').replace('$BILLING_SECRET', 'b'))
await Bun.write(join(folder, 'event-reader.ts'), blockOf('ts', '// event-reader.ts'))
await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

const nats = await natsServer(['-c', configuration])
afterAll(() => nats.close())
const marketplaceUrl = nats.url.replace('//', '//marketplace:m@')
await nats.start({ url: marketplaceUrl })
await ensureStreams({ url: marketplaceUrl })
const market = await marketplaceOf(['sourcing'], { NATS_URL: marketplaceUrl })
const producer = connectToDatabase(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
market.db.beforeDrop(() => producer.end({ timeout: 1 }))

const emitEvent = (type: string, subject: string) =>
  producer.begin((tx) => emit(tx, { type, tenantId: 'org_1', subject, data: {} }))

/** Runs the program until it has printed a number of lines. */
async function linesOfReader(count: number): Promise<string[]> {
  const reader = Bun.spawn([process.execPath, 'event-reader.ts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, NATS_URL: nats.url, BILLING_SECRET: 'b' },
    stderr: 'inherit',
  })
  let output = ''
  for await (const chunk of reader.stdout) {
    output += new TextDecoder().decode(chunk)
    if (output.split('\n').length > count) break
  }
  // The acknowledgement of the last line has left before the program ends.
  reader.kill('SIGTERM')
  await reader.exited
  return output.trimEnd().split('\n')
}

/** A connection with the permissions of the reader. */
const asReader = () => connect({ servers: nats.url, user: 'billing', pass: 'b', inboxPrefix: '_INBOX_billing' })

test('the program of the guide reads the events of orders alone, and continues after a restart', async () => {
  await emitEvent('sourcing.part.created', 'part_1')
  await emitEvent('sourcing.order.placed', 'order_1')
  expect(await linesOfReader(1)).toEqual(['{"type":"sourcing.order.placed","subject":"order_1"}'])
  await emitEvent('sourcing.order.confirmed', 'order_1')
  const lines = await linesOfReader(1)
  expect(lines.at(-1)).toBe('{"type":"sourcing.order.confirmed","subject":"order_1"}')
})

test('its user can neither forge an event, nor read other subjects or streams, nor the inboxes of others', async () => {
  const reader = await asReader()
  const refused: string[] = []
  void (async () => {
    for await (const status of reader.status()) {
      const { permissionContext } = status as { permissionContext?: { operation: string; subject: string } }
      if (permissionContext) refused.push(`${permissionContext.operation} ${permissionContext.subject}`)
    }
  })()
  const forbidden = [
    'sourcing.order.placed',
    'cases.created',
    '$JS.API.CONSUMER.CREATE.DOMAIN.other.sourcing.order.>',
    '$JS.API.CONSUMER.CREATE.DOMAIN.billing.identity.>',
    '$JS.API.CONSUMER.CREATE.DOMAIN.billing',
    '$JS.API.CONSUMER.DURABLE.CREATE.DOMAIN.billing',
    '$JS.API.CONSUMER.CREATE.NOTIFICATIONS.billing.cases.>',
    '$JS.API.STREAM.MSG.GET.DOMAIN',
    '$JS.API.DIRECT.GET.DOMAIN',
    '$JS.API.STREAM.DELETE.DOMAIN',
    '$JS.API.STREAM.PURGE.DOMAIN',
  ]
  for (const subject of forbidden) reader.publish(subject, '{}')
  for (const subject of ['_INBOX.>', 'sourcing.>', '>']) reader.subscribe(subject, { callback: () => {} })
  await reader.flush()
  const expected = [
    ...forbidden.map((subject) => `publish ${subject}`),
    ...['_INBOX.>', 'sourcing.>', '>'].map((subject) => `subscription ${subject}`),
  ]
  await until(() => refused.length >= expected.length, { what: 'every refusal' })
  expect(refused.sort()).toEqual(expected.sort())
  await reader.close()
})
