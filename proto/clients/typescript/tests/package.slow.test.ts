import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../../../services/testing/free-port.ts'
import { marketplaceOf, type TestOrganization } from '../../../../services/testing/marketplace.ts'
import { offerParties } from '../../../../services/testing/offers.ts'
import { createdAccount, createdKey } from '../../../../services/testing/service-accounts.ts'

/** The package as it is published, in a folder of its own. */
setDefaultTimeout(60_000)
const PACKAGE = join(import.meta.dir, '..')
const ROOT = join(PACKAGE, '..', '..', '..')
const FOLDER = join(ROOT, '.cache', 'client-package')
const INSTALLED = join(FOLDER, 'node_modules', 'marketplace-client')
const EXAMPLES = join(FOLDER, 'examples')
const TSC = [process.execPath, join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')]
const manifest = await Bun.file(join(PACKAGE, 'package.json')).json()

const market = await marketplaceOf(['sourcing'])
const { client: admin } = (await market.organization(['IP_OWNER'])).administrator
const key = await createdKey(admin, (await createdAccount(admin)).id)

const environmentOf = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
  MARKETPLACE_URL: market.url,
  MARKETPLACE_CLIENT_ID: clientId,
  MARKETPLACE_CLIENT_SECRET: clientSecret,
})

async function run(command: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(command, { cwd: FOLDER, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, output, errors }
}

beforeAll(async () => {
  await rm(FOLDER, { recursive: true, force: true })
  await mkdir(INSTALLED, { recursive: true })
  const built = await run([process.execPath, join(ROOT, 'scripts', 'commands', 'client', 'main.ts')], {
    INVOKED_FROM: FOLDER,
  })
  const archive = join(FOLDER, `marketplace-client-${manifest.version}.tgz`)
  expect([built.code, built.output]).toEqual([0, `${archive}\n`])
  expect((await run(['tar', '-xzf', archive, '-C', INSTALLED, '--strip-components=1'])).code).toBe(0)
  await cp(join(PACKAGE, 'examples'), EXAMPLES, { recursive: true })
})
afterAll(() => rm(FOLDER, { recursive: true, force: true }))

test('is served by the marketplace, with the wheel of the Python client', async () => {
  const built = await run([process.execPath, join(ROOT, 'scripts', 'commands', 'client', 'main.ts'), '--served'])
  const paths = built.output.trim().split('\n')
  expect([built.code, paths.map((path) => basename(path)).sort()]).toEqual([
    0,
    [`marketplace-${manifest.version}.tgz`, 'marketplace_client-0.1.0-py3-none-any.whl'],
  ])
  for (const path of paths) {
    const answer = await fetch(`${market.url}/clients/${basename(path)}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect(Buffer.from(await answer.bytes()).equals(Buffer.from(await Bun.file(path).bytes()))).toBe(true)
  }
  const [archive = '', wheel = ''] = paths.sort()
  expect((await run(['tar', '-tzf', archive])).output).toContain('package/dist/cli/main.js\n')
  const listed = await run(['python3', '-m', 'zipfile', '--list', wheel])
  for (const name of ['generated/api/parts/get_part.py', 'generated/events.py', 'py.typed', 'LICENSE'])
    expect(listed.output).toContain(`marketplace_client/${name}`)
  // Nothing has changed since, so nothing is built again.
  expect(
    (await run([process.execPath, join(ROOT, 'scripts', 'commands', 'client', 'main.ts'), '--served'])).errors,
  ).toBe('')
}, 240_000)

test('a program of CommonJS loads it', async () => {
  await Bun.write(
    join(FOLDER, 'program.cjs'),
    "import('marketplace-client').then((client) => console.log(typeof client.createMarketplace))",
  )
  for (const runtime of runtimes) expect((await run([runtime, 'program.cjs'])).output).toBe('function\n')
})

test('has its licence and its command, and no sources', async () => {
  expect((await readdir(INSTALLED)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  expect(await Bun.file(join(INSTALLED, manifest.bin.marketplace)).exists()).toBe(true)
})

test('has the versions with which it was tested', async () => {
  const { dependencies } = await Bun.file(join(ROOT, 'package.json')).json()
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect([name, dependencies[name]]).toEqual([name, version])
  const least = manifest.engines.node.replace('>=', '')
  for (const name of Object.keys(manifest.dependencies)) {
    const { engines } = await Bun.file(join(ROOT, 'node_modules', name, 'package.json')).json()
    expect([name, Bun.semver.satisfies(`${least}.0`, engines?.node ?? '*')]).toEqual([name, true])
  }
  expect(await Bun.file(join(PACKAGE, 'src', 'user-agent.ts')).text()).toContain(`'${manifest.version}'`)
})

test('its types and examples are valid for a strict program of Node', async () => {
  const options = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
    '--types',
    'bun-types',
  ]
  // Each mistake is named by what is wrong in it.
  await Bun.write(join(EXAMPLES, 'mistakes.ts'), MISTAKES)
  const files = [...new Bun.Glob('*.ts').scanSync(EXAMPLES)].map((name) => join(EXAMPLES, name))
  expect(files.length).toBe(5)
  const checked = await run([...TSC, '--noEmit', '--skipLibCheck', '--ignoreConfig', ...options, ...files])
  expect(checked.output.split('\n').filter((line) => /^\S/.test(line))).toEqual([
    expect.stringMatching(
      /^examples\/mistakes.ts\(3,12\): .* '"\/v1\/partz"' is not assignable to parameter of type 'PathOf<"get">'/,
    ),
    expect.stringMatching(
      /^examples\/mistakes.ts\(4,14\): .* '"\/v1\/processes"' is not assignable to parameter of type 'PagedPath'/,
    ),
    expect.stringMatching(/^examples\/mistakes.ts\(5,56\): .* 'procedure' does not exist/),
  ])
})

test('its declarations have no generic Uint8Array, which TypeScript before 5.7 does not know', async () => {
  for (const name of new Bun.Glob('*.d.ts').scanSync(join(INSTALLED, 'dist')))
    expect([name, await Bun.file(join(INSTALLED, 'dist', name)).text()]).toEqual([
      name,
      expect.not.stringContaining('Array<ArrayBuffer'),
    ])
})

test('is at most 16 KiB in a page of a browser, compressed', async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(INSTALLED, 'dist', 'index.js')],
    target: 'browser',
    minify: true,
  })
  const bytes = Bun.gzipSync(await (outputs[0] as Blob).arrayBuffer()).length
  expect(bytes).toBeLessThan(16 * 1024)
})

const MISTAKES = `import { createMarketplace } from 'marketplace-client'
const market = createMarketplace({ url: 'https://marketplace.example.com' })
market.GET('/v1/partz')
market.pages('/v1/processes')
;(await market.GET('/flows/v1/audit-log/export')).data.procedure
`
const node = Bun.which('node')
if (!node) process.stderr.write('Not checked on Node: it is not installed.\n')
const runtimes = [process.execPath, ...(node ? [node] : [])]

test.each(runtimes)('its command line runs on %s', async (runtime) => {
  const env = environmentOf(key)
  const command = [runtime, join(INSTALLED, 'dist', 'cli', 'main.js')]
  const { code, output, errors } = await run([...command, 'get-me'], { ...env, HOME: FOLDER })
  expect([code, errors, JSON.parse(output)]).toEqual([0, '', expect.objectContaining({ permissions: [] })])
  const closed = `'${runtime}' '${command[1]}' get-me | true`
  const piped = await run(['bash', '-o', 'pipefail', '-c', closed], { ...env, HOME: FOLDER })
  expect(piped).toEqual({ code: 0, output: '', errors: '' })
  const unreachable = { ...env, MARKETPLACE_URL: 'http://127.0.0.1:1', HOME: FOLDER }
  expect((await run([...command, 'get-me'], unreachable)).code).toBe(4)
})

const makerRole = async ({ administrator }: TestOrganization) => {
  const { body } = await administrator.client.get<{ items: { id: string }[] }>('/v1/roles?q=Manufacturer')
  return body.items.map(({ id }) => id)
}
const serialOf = async ({ administrator }: TestOrganization, rfqId: string) =>
  (await administrator.client.get<{ serialNumber: string }>(`/v1/rfqs/${rfqId}`)).body.serialNumber

/** Node runs JavaScript, so the examples are translated. */
async function translated(name: string): Promise<string> {
  const path = join(EXAMPLES, name.replace('.ts', '.mjs'))
  const source = await Bun.file(join(EXAMPLES, name)).text()
  await Bun.write(path, new Bun.Transpiler({ loader: 'ts' }).transformSync(source))
  return path
}

describe.each(runtimes)('on %s', (runtime) => {
  const env = environmentOf(key)

  test('an example lists all parts as CSV', async () => {
    const { status, body } = await admin.post<{ serialNumber: string }>('/v1/parts', { title: 'Say "when"' })
    expect(status).toBe(200)
    const { code, output, errors } = await run([runtime, await translated('list-parts.ts')], env)
    expect([code, errors]).toEqual([0, ''])
    expect(output).toStartWith(`serialNumber,title,state\r\n${body.serialNumber},"Say ""when""",DRAFT\r\n`)
  })

  test('an example answers open RFQs, each once', async () => {
    const { maker, open } = await offerParties(market)
    const program = await createdAccount(maker.administrator.client, { roleIds: await makerRole(maker) })
    const programKey = await createdKey(maker.administrator.client, program.id)
    const serials = [await serialOf(maker, await open()), await serialOf(maker, await open())]
    const answers = () => translated('answer-rfqs.ts').then((path) => run([runtime, path], environmentOf(programKey)))
    const first = await answers()
    expect([first.errors, first.output.trim().split('\n').sort()]).toEqual([
      '',
      serials.map((serial) => `${serial} SUBMITTED`).sort(),
    ])
    expect(await answers()).toEqual({ code: 0, output: '', errors: '' })
  })

  test('an example tells why an order cannot be followed', async () => {
    const { code, errors } = await run([runtime, await translated('follow-order.ts'), 'order_1'], env)
    expect(code).toBe(1)
    expect(errors).toMatch(/^GET \/v1\/orders\/order_1 answered 404: .+ \(request [0-9a-f-]{36}\)\n$/)
  })

  test('an example receives events, and refuses those of others', async () => {
    const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
    const port = await freePort()
    const child = Bun.spawn([runtime, await translated('receive-events.ts')], {
      cwd: FOLDER,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdout: 'pipe',
    })
    const reader = child.stdout.getReader()
    const nextLine = async () => new TextDecoder().decode((await reader.read()).value)
    expect(await nextLine()).toBe(`Listening on ${port}\n`)
    const body = JSON.stringify({
      id: 'evt_1',
      type: 'assignments.status.updated',
      data: { assignment: { id: 'as_1', status: 'SHIPPED' } },
    })
    const deliver = (signedWith: string) => {
      const now = new Date()
      return fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body,
        headers: {
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(signedWith).sign('evt_1', now, body),
        },
      })
    }
    expect((await deliver(`whsec_${Buffer.alloc(32, 4).toString('base64')}`)).status).toBe(400)
    expect((await deliver(secret)).status).toBe(204)
    expect(await nextLine()).toBe('as_1 is SHIPPED\n')
    child.kill()
    await child.exited
  })
})
