import { afterAll, expect, test } from 'bun:test'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { CATALOG_NAMES } from '../../../services/catalog/catalog.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { asOwner, emptyTestDatabase, testPasswords } from '../../../services/testing/database.ts'
import { freePort } from '../../../services/testing/free-port.ts'
import { natsServer } from '../../../services/testing/nats-server.ts'
import { until } from '../../../services/testing/until.ts'
import { BUN, commandFile, ROOT } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'
import { type Backends, startIngress } from '../play/ingress.ts'
import { buildWithoutRegistry, IMAGE, mustRun } from './build.ts'

/** The files of the image in a folder outside of the checkout, so that no other file is found. */
const folder = await mkdtemp(join(tmpdir(), 'image-'))
await chmod(folder, 0o755)
await buildWithoutRegistry()
const container = (await mustRun(['buildah', 'from', IMAGE])).trim()
const mounted = (await mustRun(['buildah', 'mount', container])).trim()
await mustRun(['cp', '--archive', join(mounted, 'app'), folder])
await mustRun(['buildah', 'rm', container])
const application = join(folder, 'app')
const running = new Map<string, Bun.Subprocess>()
const healthUrls = new Map<string, string>()
afterAll(async () => {
  for (const child of running.values()) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const db = await emptyTestDatabase()
const nats = await natsServer()
await nats.start()
afterAll(() => nats.close())

const PASSWORD = 'the password of the first administrator'
const EMAIL = 'ada@example.com'
const ENCRYPTION_KEYS = `image:${Buffer.alloc(32, 3).toString('base64')}`
/** Roles of this installation alone, because others of the server have their own. */
const DATABASE_ROLE_PREFIX = 'content_'
const ofOwner = { DATABASE_URL: asOwner(db.ownerUrl), DATABASE_ROLE_PREFIX, NATS_URL: nats.url, ENCRYPTION_KEYS }
const urlOf = (name: ServiceName) => db.urlOf(name).replace('//marketplace_', `//${DATABASE_ROLE_PREFIX}`)
const COMMAND = [BUN, '--no-install', 'scripts/commands/marketplace/main.ts']

const command = (words: readonly string[], env: Record<string, string> = ofOwner) =>
  run([...COMMAND, ...words], { cwd: application, env })

const ports = Object.fromEntries([...SERVICES, 'all'].map((name) => [name, freePort()])) as Record<
  ServiceName | 'all',
  number
>
const ingress = startIngress(
  Object.fromEntries(SERVICES.map((name) => [name, [`http://127.0.0.1:${ports[name]}`]])) as unknown as Backends,
)
afterAll(() => ingress.stop())

async function start(name: ServiceName | 'all', env: Record<string, string>): Promise<void> {
  const healthPort = freePort()
  const child = Bun.spawn([...COMMAND, name], {
    cwd: application,
    env: {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(ports[name]),
      HEALTH_PORT: String(healthPort),
      PUBLIC_URL: ingress.url,
      NATS_URL: nats.url,
      ENCRYPTION_KEYS,
      DATABASE_POOL_SIZE: '2',
      LOG_LEVEL: 'warn',
      FILES_FOLDER: join(folder, 'files'),
      ...env,
    },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  running.set(name, child)
  healthUrls.set(name, `http://127.0.0.1:${healthPort}`)
  const ready = async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined))?.ok
  await until(ready, { what: `readiness of ${name}` })
}

const stop = (name: string) => {
  running.get(name)?.kill('SIGTERM')
  return running.get(name)?.exited
}

interface Inspected {
  Docker: { config: { User: string; Labels: Record<string, string> } }
}

test('the image runs as a numeric user, names its version, and has no tests', async () => {
  const { Docker }: Inspected = JSON.parse(await mustRun(['buildah', 'inspect', '--type', 'image', IMAGE]))
  expect(Docker.config.User).toBe('65532:65532')
  expect(Docker.config.Labels['org.opencontainers.image.version']).toBe('0.1.0')
  const files = await readdir(application, { recursive: true })
  const own = files.filter((path) => !path.startsWith('node_modules/'))
  expect(own.filter((path) => /\.test\.ts$|^services\/(testing|end-to-end)|^scripts\/lab/.test(path))).toEqual([])
  expect(own).toContain('scripts/commands/marketplace/main.ts')
})

test('an unknown name is refused with the names of all services and commands', async () => {
  const { code, output } = await command(['catalogs'])
  expect([code, output]).toEqual([
    2,
    expect.stringMatching(/^Unknown: catalogs\..* webhooks, all, migrate, .* check, tools\.\n$/),
  ])
})

test('migrate applies every migration and loads the shipped catalogs, and changes nothing the second time', async () => {
  const passwords = SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, testPasswords[name]])
  const env = { ...ofOwner, ...Object.fromEntries(passwords) }
  const first = await command(['migrate', '--catalogs'], env)
  expect([first.code, first.output.match(/^migrated /gm)?.length]).toEqual([0, await countMigrations()])
  expect(first.output.match(/ added, /g)?.length).toBe(CATALOG_NAMES.length)
  const second = await command(['migrate', '--catalogs'], env)
  const unchanged = CATALOG_NAMES.map((name) => `${name}: nothing to change\n`)
  const upToDate = 'The database is up to date.\nThe NATS streams are up to date.\n'
  expect(second).toEqual({ code: 0, output: `${unchanged.join('')}${upToDate}` })
}, 60_000)

/** Each schema also has the migrations of the kit. */
async function countMigrations(): Promise<number> {
  const countIn = async (name: string) =>
    (await readdir(join(ROOT, 'services', name, 'migrations'))).filter((file) => file.endsWith('.sql')).length
  const own = await Promise.all(SERVICES.map(countIn))
  return own.reduce((sum, count) => sum + count, SERVICES.length * (await countIn('kit')))
}

test('operator bootstraps, and the administrator activates over HTTP', async () => {
  const person = ['--email', EMAIL, '--given-name', 'Ada', '--family-name', 'Berg']
  const { output } = await command(
    ['operator', 'bootstrap', ...person, '--organization', 'Operator', '--region', 'NO'],
    { ...ofOwner, PUBLIC_URL: ingress.url },
  )
  const token = /\/activate#(\S+)$/m.exec(output)?.[1] ?? ''
  for (const name of SERVICES) await start(name, { DATABASE_URL: urlOf(name) })
  const client = new ApiClient(ingress.url)
  await client.activate(token, PASSWORD)
  await client.signIn(EMAIL, PASSWORD)
}, 60_000)

test('check signs in and reads a catalog', async () => {
  const at = (name: ServiceName) => `http://127.0.0.1:${ports[name]}`
  const env = {
    ...{ IDENTITY_URL: at('identity'), CATALOG_URL: at('catalog'), EMAIL, PASSWORD },
    HEALTH_URLS: SERVICES.map((name) => healthUrls.get(name)).join(),
  }
  expect(await command(['check'], env)).toEqual({
    code: 0,
    output: `Every service can use what it needs.
A wrong password is refused.
A request without a token is refused.
The account signs in and reads a catalog.
`,
  })
})

test('the documentation page, its guides and every module of the API reference are served', async () => {
  const get = async (path: string) => (await fetch(`${ingress.url}${path}`)).status
  const paths = [
    ...['/docs', '/docs/api', '/docs/openapi.json', '/docs/search.json', '/docs/guides.md', '/docs/guides/trade'],
    ...['/openapi.json', '/asyncapi.json', '/llms.txt', '/favicon.ico', '/activate', '/impersonate'],
    ...['/console', '/console/assets/console.js', '/console/assets/console.css'],
    ...['form.css', 'activate.js', 'impersonate.js', 'mail-address.js'].map((name) => `/docs/${name}`),
    ...[
      'site.css',
      'text.css',
      'site.js',
      'search.js',
      'reference.css',
      'reference.js',
      'document.js',
      'session.js',
    ].map((name) => `/docs/${name}`),
    ...['standalone.esm.js', 'LICENCES.txt'].map((name) => `/docs/reference/${name}`),
    ...(await readdir(join(ROOT, 'node_modules', '.api-reference', 'chunks'))).map(
      (name) => `/docs/reference/chunks/${name}`,
    ),
  ]
  const answers = await Promise.all(paths.map(async (path) => [path, await get(path)]))
  expect(answers).toEqual(paths.map((path) => [path, 200]))
})

test('the demo plays a whole trade against the five services', async () => {
  const { code, output } = await run([BUN, commandFile('demo'), '--url', ingress.url, '--operator', EMAIL], {
    env: { PATH: process.env.PATH, PASSWORD },
  })
  expect([output, code]).toEqual([expect.stringMatching(/finds its orders of the package: O-\w{8} is PLACED\n$/), 0])
}, 120_000)

test('republish names every service', async () => {
  const { code, output } = await command(['republish', '--since', new Date().toISOString()])
  expect([code, output.match(/ will be published again/g)?.length]).toEqual([0, SERVICES.length])
})

test.each(['migrate', 'catalog'])('SIGTERM ends %s while it waits for Postgres', async (name) => {
  const connected = Promise.withResolvers<void>()
  const silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => connected.resolve(), data: () => {} },
  })
  const DATABASE_URL = `postgres://none:none@127.0.0.1:${silent.port}/none`
  const passwords = SERVICES.map((service) => [`${service.toUpperCase()}_DATABASE_PASSWORD`, 'none'])
  const env = { ...Object.fromEntries(passwords), DATABASE_URL, ENCRYPTION_KEYS, HEALTH_PORT: String(freePort()) }
  const child = Bun.spawn([...COMMAND, name], { cwd: application, env, stdout: 'ignore', stderr: 'ignore' })
  running.set(`waiting ${name}`, child)
  await connected.promise
  child.kill('SIGTERM')
  // Not by the default action of the signal, which the first process of a container does not have.
  expect([await child.exited, child.signalCode]).toEqual([143, null])
  running.delete(`waiting ${name}`)
  silent.stop(true)
})

test('all serves every path in one process, and SIGTERM ends each process with 0', async () => {
  const urls = SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, urlOf(name)])
  await start('all', Object.fromEntries(urls))
  const client = new ApiClient(`http://127.0.0.1:${ports.all}`)
  await client.signIn(EMAIL, PASSWORD)
  for (const path of ['/v1/materials', '/v1/parts', '/v1/users', '/v2.3/webhooks/endpoints', '/docs']) {
    expect([path, (await client.get(path)).status]).toEqual([path, 200])
  }
  const codes = await Promise.all([...running.keys()].map(stop))
  expect(codes).toEqual([...running].map(() => 0))
}, 60_000)
