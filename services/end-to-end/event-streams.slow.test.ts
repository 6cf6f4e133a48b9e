import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'nats'
import { goEnvironment } from '../../scripts/toolchain/installation.ts'
import { run } from '../../scripts/toolchain/run.ts'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { emitAny } from '../kit/bus/outbox/emit.ts'
import { connect as connectToDatabase } from '../kit/db/client.ts'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { until } from '../testing/until.ts'

/** The configuration and the programs of the guide, on a real server. */
setDefaultTimeout(120_000)
const ROOT = join(import.meta.dir, '..', '..')
const guide = await Bun.file(join(ROOT, 'proto', 'guides', 'event-streams.md')).text()
/** The block of a language that begins with some text. */
const blockOf = (language: string, start = '') =>
  new RegExp(`\`\`\`${language}\\n(${start}[\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? ''

const folder = await mkdtemp(join(tmpdir(), 'event-streams-'))
afterAll(() => rm(folder, { recursive: true }))
const configuration = join(folder, 'nats.conf')
await Bun.write(
  configuration,
  blockOf('conf')
    .replace('$MARKETPLACE_SECRET', 'm')
    .replace('$BILLING_SECRET', 'b')
    .replace('/data', join(folder, 'store')),
)
await Bun.write(join(folder, 'event-reader.ts'), blockOf('ts', '// event-reader.ts'))
await Bun.write(join(folder, 'event_reader.py'), blockOf('python', '# event_reader.py'))
await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

const nats = await natsServer(['-c', configuration], { configured: true })
afterAll(() => nats.close())
const marketplaceUrl = nats.url.replace('//', '//marketplace:m@')
await nats.start({ url: marketplaceUrl })
await ensureStreams({ url: marketplaceUrl })
const market = await marketplaceWithWorkers(['sourcing'], { NATS_URL: marketplaceUrl })
const producer = connectToDatabase(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
market.db.beforeDrop(() => producer.end({ timeout: 1 }))

const emitEvent = (type: string, subject: string) =>
  producer.begin((tx) => emitAny(tx, { type, tenantId: 'org_1', subject, data: {} }))

const PROGRAMS: Record<string, string[]> = {
  TypeScript: [process.execPath, 'event-reader.ts'],
  Python: ['python3', 'event_reader.py'],
}
// Its compilation takes longer than all other tests of the guide.
if (process.env.TEST_LAB) PROGRAMS.Go = [await builtReader()]

/** The program in Go. The cache of the checkout keeps its modules and what was compiled. */
async function builtReader(): Promise<string> {
  const source = join(folder, 'go')
  await Bun.write(join(source, 'event-reader.go'), blockOf('go', '// event-reader.go'))
  const [, client = ''] = /^go get (\S+)$/m.exec(guide) ?? []
  const env = goEnvironment(source)
  for (const words of [
    ['mod', 'init', 'reader'],
    ['get', client],
    ['vet', '.'],
    ['build', '-o', 'reader', '.'],
  ]) {
    const { code, output } = await run(['go', ...words], { cwd: source, env })
    if (code !== 0) throw new Error(`go ${words[0]}: ${output}`)
  }
  return join(source, 'reader')
}

/** Runs a program until it has printed a number of lines. */
async function linesOf(program: string, count: number): Promise<string[]> {
  const reader = Bun.spawn(PROGRAMS[program] ?? [], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NATS_URL: nats.url,
      BILLING_SECRET: 'b',
      PYTHONPATH: process.env.TEST_PYTHON_PACKAGES ?? '',
    },
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

test.each(Object.keys(PROGRAMS))(
  'the program of the guide in %s reads the events of orders alone, and continues where the last one ended',
  async (program) => {
    const read = async () => (await linesOf(program, 1)).map((line) => JSON.parse(line))
    await emitEvent('sourcing.part.created', 'part_1')
    await emitEvent('sourcing.order.placed', `order_${program}`)
    expect(await read()).toEqual([{ type: 'sourcing.order.placed', subject: `order_${program}` }])
    await emitEvent('sourcing.order.confirmed', `order_${program}`)
    const events = await read()
    expect(events.at(-1)).toEqual({ type: 'sourcing.order.confirmed', subject: `order_${program}` })
  },
)

test('the versions of the guide are those that are checked', async () => {
  const { devDependencies } = await Bun.file(join(ROOT, 'package.json')).json()
  for (const name of ['@nats-io/transport-node', '@nats-io/jetstream'])
    expect(guide).toContain(`${name}@${devDependencies[name]}`)
  const requirements = join(ROOT, 'proto', 'clients', 'python', 'requirements-dev.txt')
  expect(guide).toContain(`pip install ${/^nats-py==.*$/m.exec(await Bun.file(requirements).text())?.[0]}\n`)
})

test('its user can ask for the state of the stream, as common calls of the clients do', async () => {
  const reader = await asReader()
  const manager = await reader.jetstreamManager({ checkAPI: false })
  expect((await manager.streams.info('DOMAIN')).config.name).toBe('DOMAIN')
  await reader.close()
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
    '$JS.API.STREAM.INFO.NOTIFICATIONS',
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
