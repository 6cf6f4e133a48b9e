import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nkeys } from 'nats'
import { run } from '../../../../scripts/toolchain/run.ts'
import {
  createEffects,
  effectsOf,
  emitValue,
  openBus,
  record,
  subscribed,
  until,
} from '../../../testing/bus/harness.ts'
import { AUTHORITY, LOCAL_CERTIFICATE, LOCAL_KEY, OTHER_CERTIFICATE, OTHER_KEY } from '../../../testing/certificates.ts'
import { testDatabase } from '../../../testing/database.ts'
import { freePort } from '../../../testing/free-port.ts'
import { natsServer } from '../../../testing/nats-server.ts'
import { connectOnce } from './connection.ts'
import { type NatsOptions, natsOptionsOf } from './options.ts'
import { ensureStreams, requireStreams } from './streams.ts'

setDefaultTimeout(60_000)
const folder = await mkdtemp(join(tmpdir(), 'nats-identities-'))
afterAll(() => rm(folder, { recursive: true }))
const write = async (name: string, text: string) => {
  await Bun.write(join(folder, name), text)
  return join(folder, name)
}

test('an nkey signs in with the seed in its file', async () => {
  const user = nkeys.createUser()
  const nkeyFile = await write('seed', `${new TextDecoder().decode(user.getSeed())}\n`)
  const config = await write('nkey.conf', `authorization { users: [ { nkey: ${user.getPublicKey()} } ] }`)
  const server = await natsServer(['-c', config])
  await server.start({ url: server.url, nkeyFile })
  await ensureStreams({ url: server.url, nkeyFile })
  await expect(connectOnce({ url: server.url }, 'test')).rejects.toThrow(/Authorization/i)
  await server.close()
})

test('a client certificate signs in, and a client without one is refused', async () => {
  const [caFile, serverCert, serverKey] = [
    await write('ca.crt', AUTHORITY),
    await write('server.crt', LOCAL_CERTIFICATE),
    await write('server.key', LOCAL_KEY),
  ]
  const [certFile, keyFile] = [await write('client.crt', OTHER_CERTIFICATE), await write('client.key', OTHER_KEY)]
  const config = await write(
    'tls.conf',
    `tls { cert_file: "${serverCert}", key_file: "${serverKey}", ca_file: "${caFile}", verify: true }`,
  )
  const port = freePort()
  const server = Bun.spawn([process.env.TEST_NATS_SERVER ?? '', '-a', '127.0.0.1', '-p', String(port), '-c', config], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const url = `tls://localhost:${port}`
  // An authority is trusted from the start of a process.
  const signIn = (options: NatsOptions) =>
    run([process.execPath, '-e', CONNECT], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: caFile, ADDRESS: JSON.stringify(options) },
    })
  await until(async () => (await signIn({ url, certFile, keyFile })).output === 'connected\n')
  expect((await signIn({ url })).output).toMatch(/^refused/)
  server.kill()
  await server.exited
})

const CONNECT = `
  const { connectOnce } = await import(${JSON.stringify(join(import.meta.dir, 'connection.ts'))})
  const session = await connectOnce(JSON.parse(process.env.ADDRESS), 'test').catch((error) => console.log('refused', error.message))
  if (session) console.log('connected')
  await session?.nc.close()
`

test('the variables name one address', () => {
  expect(natsOptionsOf({ PORT: 1 })).toBeUndefined()
  expect(natsOptionsOf({ NATS_URL: 'tls://a', NATS_CERT_FILE: '/c', NATS_KEY_FILE: '/k', NATS_PREFIX: 'p' })).toEqual({
    url: 'tls://a',
    certFile: '/c',
    keyFile: '/k',
    prefix: 'p',
  })
})

/** As the README of the chart lists them. */
const STREAM_NAMES = ['DOMAIN', 'NOTIFICATIONS']
const SUBJECTS = [
  ...['identity.>', 'catalog.>', 'sourcing.>', 'organization.>', 'webhooks.>'],
  ...['cases.>', 'assignments.>'],
]
const SERVICE_PUBLISH = [
  ...SUBJECTS,
  'heartbeat.*',
  ...STREAM_NAMES.flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    ...['INFO', 'DELETE', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.*`),
  ]),
]
const MIGRATION_PUBLISH = STREAM_NAMES.flatMap((stream) =>
  ['INFO', 'CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
)
const userText = (name: string, publish: readonly string[], subscribe: readonly string[]) =>
  `{ user: ${name}, password: secret, permissions: { publish: ${JSON.stringify(publish)}, subscribe: ${JSON.stringify(subscribe)} } }`

test('the permissions of the README suffice for the services and for the migration', async () => {
  const config = await write(
    'permissions.conf',
    `authorization { users: [
      { user: probe, password: secret }
      ${userText('services', SERVICE_PUBLISH, ['_INBOX.>', 'heartbeat.*'])}
      ${userText('migration', MIGRATION_PUBLISH, ['_INBOX.>'])}
    ] }`,
  )
  const server = await natsServer(['-c', config])
  const as = (user: string) => server.url.replace('//', `//${user}:secret@`)
  await server.start({ url: as('probe') })
  await ensureStreams({ url: as('migration'), installation: 'installation_1' })
  await ensureStreams({ url: as('migration'), installation: 'installation_1' })
  await requireStreams({ url: as('services'), installation: 'installation_1' })
  await expect(requireStreams({ url: as('services'), installation: 'installation_2' })).rejects.toThrow(
    'belongs to another owner (marketplace installation installation_1)',
  )

  const { owner, urlOf } = await testDatabase()
  await createEffects(owner)
  const address = { urlOf, natsUrl: as('services') }
  const [sourcing, webhooks] = [await openBus(address, 'sourcing'), await openBus(address, 'webhooks')]
  sourcing.start(sourcing.bus.relay())
  webhooks.start(webhooks.bus.consume({ name: 'parts', subjects: ['sourcing.part.created'], handle: record }))
  webhooks.start(webhooks.bus.consume({ name: 'cases', subjects: ['cases.>', 'assignments.>'], handle: record }))
  const received: string[] = []
  await webhooks.bus.subscribe({
    subjects: subscribed('sourcing.part.created'),
    onEvent: ({ subject }) => void received.push(subject),
    onGap: () => {},
  })
  await until(() => webhooks.bus.lastHeartbeat('sourcing') > 0)
  await emitValue(sourcing.pool, 'sourcing.part.created', 'part_1', 1)
  await emitValue(sourcing.pool, 'cases.created', 'case_1', 2)
  await until(async () => (await effectsOf(owner, 'cases.created')).length === 1)
  await until(async () => (await effectsOf(owner, 'sourcing.part.created')).length === 1)
  await until(() => received.length === 1)
  await until(async () => (await webhooks.bus.lag()).consumers.parts === 0)
  await Promise.all([sourcing.stop(), webhooks.stop()])
  await server.close()
})
