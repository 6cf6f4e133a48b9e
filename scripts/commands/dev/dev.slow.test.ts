import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMarketplace, serviceAccount } from '../../../proto/clients/typescript/src/index.ts'
import { ORDER_VIEWS } from '../../../proto/http/sourcing/orders.ts'
import { CASE_STATES } from '../../../proto/states/cases.ts'
import { OFFER_STATES } from '../../../proto/states/offers.ts'
import { ORDER_STATES } from '../../../proto/states/orders.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { freePort } from '../../../services/testing/free-port.ts'
import { until } from '../../../services/testing/until.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { commandOf } from '../../toolchain/processes.ts'
import { run } from '../../toolchain/run.ts'
import { findState, folderElsewhere } from '../../toolchain/state.ts'
import type { AccountsFile } from '../seed/accounts.ts'
import { DemoRecords } from './demo-records.ts'

/** The parts without the URLs of their pictures, which are signed anew. */
const withoutPictures = (parts: unknown) =>
  JSON.parse(JSON.stringify(parts, (name, value) => (name === 'previewUrl' ? undefined : value)))

// A separate checkout, because this one may be running.
const checkout = await mkdtemp(join(tmpdir(), 'checkout-'))
await chmod(checkout, 0o755)
for (const name of ['services', 'proto', 'scripts', 'LICENSE', 'package.json', 'bun.lock', 'bunfig.toml']) {
  await cp(join(ROOT, name), join(checkout, name), { recursive: true })
}
await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
const stateElsewhere = folderElsewhere({ root: checkout, temporary: '/var/tmp' })

const port = freePort()
const address = `http://localhost:${port}`
const launched: Bun.Subprocess[] = []
afterEach(async () => {
  for (const child of launched.splice(0)) {
    child.kill('SIGTERM')
    await child.exited
  }
})
afterAll(async () => {
  await rm(checkout, { recursive: true, force: true })
  await rm(stateElsewhere, { recursive: true, force: true })
})

const DEV = join(checkout, 'scripts', 'commands', 'dev', 'main.ts')
/** The end of what the launcher prints when it is ready. */
const LAST_LINE = '-H "Authorization: Bearer $TOKEN"\n'

/** The tools of the wheel are installed already; the test of the packages shows that pip installs them. */
const WHEEL_TOOLS = { PIP_NO_BUILD_ISOLATION: '0', PYTHONPATH: process.env.TEST_PYTHON_PACKAGES ?? '' }

/** Starts the launcher and reads its output until it is ready or has ended. */
async function dev(options: string[] = [], env: Record<string, string> = {}) {
  // BUN_FEATURE_FLAG_NO_ORPHANS would end the services of a killed launcher, which this test needs.
  const { DATABASE_URL: _, NATS_URL: _n, HEALTH_PORT: _h, BUN_FEATURE_FLAG_NO_ORPHANS: _o, ...inherited } = process.env
  const child = Bun.spawn([BUN, DEV, ...options], {
    cwd: checkout,
    env: {
      ...inherited,
      ...WHEEL_TOOLS,
      NODE_ENV: 'development',
      PORT: String(port),
      INVOKED_AS: './scripts/dev',
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  launched.push(child)
  let printed = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += chunk
    if (printed.includes(LAST_LINE)) break
  }
  const isUp = printed.includes(LAST_LINE)
  return { child, printed, refusal: isUp ? '' : await child.stderr.text() }
}

/** The state folder of the launcher. */
const folderIn = (printed: string) => /^Logs: (?<folder>.*)\/services\.log$/m.exec(printed)?.groups?.folder ?? ''
const read = async (folder: string, file: string) => JSON.parse(await readFile(join(folder, file), 'utf8'))
const postgresOf = async (folder: string) =>
  Number((await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])

const records = new DemoRecords(address)

const MINUTES_MS = 60_000

/** Invites a user by mail, and waits until the page of the mails shows the link. */
async function showsInvitation(printed: string, administrator?: { email: string; password: string }): Promise<void> {
  const client = new ApiClient(address)
  await client.signIn(administrator?.email ?? '', administrator?.password ?? '')
  const invited = { email: `${crypto.randomUUID()}@example.org`, givenName: 'Freja', familyName: 'Lund', mail: true }
  const { status, body } = await client.post<object>('/flows/v1/users', invited)
  expect([status, 'activationUrl' in body]).toEqual([201, false])
  const page = /^Its mails {10}(?<url>http:.*)$/m.exec(printed)?.groups?.url ?? ''
  const shown = await until(async () => {
    const text = await (await fetch(page)).text()
    return text.includes(`To ${invited.email}`) && text
  })
  expect(shown).toContain(`<a href="${address}/activate#`)
}

/** Each line of an event follows that of its step. */
const TRADE_WITH_EVENTS = new RegExp(
  [
    /\. Skagen Pumps signs in: anders\.juhl@/,
    /Nordhavn Shipping registers a webhook endpoint .*: wh_\w{26}\n/,
    /Nordhavn Shipping publishes the RFQ: .* is OPEN\n( {8}← cases\.created .* verified\n){4}/,
    /Tanjong Castings declines: .*\n {8}← cases\.closed .* verified\n {8}← cases\.updated .* verified\n/,
    /Vestland Additive submits it: .* is SUBMITTED\n {8}← cases\.updated .*\(sourcing\.offer\.submitted\) {2}verified\n/,
    /awards 30 pieces .* is AWARDED\n( {8}← .* verified\n){3}/,
    /Ruhr Präzision ships: .* is SHIPPED\n {8}← assignments\.status\.updated .* is SHIPPED .* verified\n/,
    /Nordhavn Shipping accepts the goods: .* is COMPLETED\n {8}← assignments\.status\.updated .* is COMPLETED .* verified\n/,
    /\nThe endpoint of Nordhavn Shipping is deleted\. .*\n$/,
  ]
    .map(({ source }) => source)
    .join('[^]*'),
)

/** The launcher prints each request, a reload, and a failed reload with its reason. */
async function printsRequestsAndReloads(child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<void> {
  let shown = ''
  const write = (text: string) => {
    shown += text
  }
  child.stderr.pipeThrough(new TextDecoderStream()).pipeTo(new WritableStream({ write }))
  await fetch(`${address}/v1/parts`)
  const request = /^\d\d:\d\d:\d\d {2}GET listParts \(sourcing\): 401 unauthorized, [\d.]+ ms, request [\w-]+$/m
  await until(() => request.test(shown), { withinMs: MINUTES_MS, what: 'the line of a request' })
  const file = join(checkout, 'services', 'webhooks', 'service.ts')
  const source = await readFile(file, 'utf8')
  await writeFile(file, `${source}\nconst broken = ;\n`)
  await until(() => shown.includes('Unexpected ;'), { withinMs: MINUTES_MS, what: 'the reason of a failed reload' })
  await writeFile(file, source)
  await until(() => shown.includes('The services were reloaded.'), { withinMs: MINUTES_MS, what: 'a reload' })
}

test(
  'a start without options: serves the demo, again after a kill and a restart that watches, and stops at a signal',
  async () => {
    const first = await dev()
    expect(first.refusal).toBe('')
    const folder = folderIn(first.printed)
    const accounts: AccountsFile = await read(folder, 'accounts.json')
    const all = accounts.organizations.flatMap((organization) => organization.accounts)
    const shown = all.filter(({ email, password }) =>
      [email, password].every((text) => first.printed.includes(`  ${text} `)),
    )
    expect(shown).toHaveLength(3)
    // The README begins with this account.
    expect(first.printed).toContain('anders.juhl@')
    await showsInvitation(
      first.printed,
      all.find(({ administrator }) => administrator),
    )
    const listed = await run([BUN, DEV, 'accounts'], { cwd: checkout })
    expect(all.filter(({ email }) => !listed.output.includes(email))).toEqual([])
    expect(first.printed).toContain(`\nIts documentation  ${address}/docs\nIts mails          http://localhost:`)
    expect(first.printed).toContain(`\nexport BASE=${address} EMAIL=anders.juhl@skagen-pumps.example.com PASSWORD=`)
    const variables = await run([BUN, DEV, 'accounts', '--env'], { cwd: checkout })
    expect(variables.output).toStartWith(`export BASE=${address}\nexport EMAIL=anders.juhl@`)
    const [, clientId = '', clientSecret = ''] =
      /\nexport MARKETPLACE_URL=\S+ MARKETPLACE_CLIENT_ID=(sak_\w{26}) MARKETPLACE_CLIENT_SECRET=(mkt_\w{49})\n$/.exec(
        variables.output,
      ) ?? []
    const program = createMarketplace({ url: address, credentials: serviceAccount({ clientId, clientSecret }) })
    expect((await program.GET('/flows/v1/me')).data.permissions).toContain('part:create')
    const demo = await run([BUN, join(checkout, 'scripts', 'commands', 'demo', 'main.ts')], {
      cwd: checkout,
      timeoutMs: MINUTES_MS,
    })
    expect([demo.output, demo.code]).toEqual([expect.stringMatching(TRADE_WITH_EVENTS), 0])
    await until(async () => (await fetch(`${address}/clients/marketplace-0.1.0.tgz`)).status === 200, {
      withinMs: MINUTES_MS,
      what: 'the packages of the clients',
    })
    const token = await records.signIn(accounts)
    const parts = await records.listParts(token)
    expect(parts.length).toBeGreaterThan(0)
    const states = await records.orderStates(accounts)
    expect([...states.keys()].toSorted()).toEqual([...ORDER_VIEWS].toSorted())
    expect([...states].filter(([, seen]) => seen.size === 0)).toEqual([])
    expect([...(states.get('CONSUMER') ?? [])].toSorted()).toEqual([...ORDER_STATES].toSorted())
    const cases = await records.listCases(accounts)
    expect([...new Set(cases.map(({ state }) => state))].toSorted()).toEqual([...CASE_STATES].toSorted())
    expect([cases.some(({ rfqId }) => rfqId), cases.some(({ orderId }) => orderId)]).toEqual([true, true])

    const { assignments: opened, orders, ...others } = await records.assignments(accounts)
    expect(opened).toBe(orders)
    expect(others).toEqual({ archived: 1, contacts: 4, 'billing-details': 2, extensions: 1 })

    // One offer of the demo expires a few seconds after the start.
    await until(async () => (await records.offerStates(accounts)).includes('EXPIRED'), {
      withinMs: 30_000,
      what: 'the expiry',
    })
    expect(await records.offerStates(accounts)).toEqual(OFFER_STATES.toSorted())

    const second = await dev()
    expect(await second.child.exited).toBe(1)
    expect(second.refusal).toBe(
      `This checkout is running already, on ${address} (process ${first.child.pid}): stop it first.\n`,
    )

    const services = (await read(folder, 'services.json')).pid
    if (process.platform === 'linux') {
      expect((await readFile(`/proc/${services}/environ`, 'utf8')).split('\0')).toContain('HEALTH_PORT=0')
    }
    const postgres = await postgresOf(folder)
    first.child.kill('SIGKILL')
    await first.child.exited
    expect(await commandOf(services)).toBeDefined()
    const third = await dev(['--watch', '--verbose'], { LOG_LEVEL: 'warn' })
    expect(third.refusal).toBe('')
    expect(await commandOf(services)).toBeUndefined()
    expect(await commandOf(postgres)).toBeUndefined()
    // The token from before the kill is still valid: same keys, same database.
    expect(withoutPictures(await records.listParts(token))).toEqual(withoutPictures(parts))
    await printsRequestsAndReloads(third.child)

    const after = [(await read(folder, 'services.json')).pid, await postgresOf(folder)]
    third.child.kill('SIGTERM')
    expect(await third.child.exited).toBe(0)
    for (const pid of after) expect(await commandOf(pid)).toBeUndefined()
    await expect(fetch(address)).rejects.toThrow()
  },
  5 * MINUTES_MS,
)

test(
  '--reset, and a start after one that was killed while it loaded the demo data, remove all data; the next start has new accounts',
  async () => {
    const { folder: state } = await findState({ root: checkout, temporary: '/var/tmp' })
    const accountsOf = (folder: string): Promise<AccountsFile> => read(folder, 'accounts.json')
    const before = await accountsOf(state)
    const copy = await mkdtemp(join(tmpdir(), 'state-'))
    await run(['cp', '-a', `${state}/.`, copy])
    // It ends after the removal, and before anything is loaded.
    const removes = async (options: string[]) => {
      const { child, printed, refusal } = await dev(options, { NATS_URL: 'nats://127.0.0.1:1' })
      expect([await child.exited, refusal]).toEqual([1, expect.stringContaining('NATS_URL: ')])
      const left = ['accounts.json', 'postgres'].filter((name) => existsSync(join(state, name)))
      return { printed, left }
    }
    expect(await removes([])).toMatchObject({ left: ['accounts.json', 'postgres'] })
    // A start that fails with the data of an earlier one keeps them.
    await rm(join(state, 'accounts.json'))
    const failed = await dev()
    expect([await failed.child.exited, failed.refusal]).toEqual([1, expect.stringContaining('--reset')])
    expect((await removes([])).left).toEqual(['postgres'])
    expect(await removes(['--reset'])).toMatchObject({ left: [] })
    await run(['cp', '-a', `${copy}/.`, state])
    await rm(copy, { recursive: true })
    await writeFile(join(state, 'demo-data-incomplete'), '')
    expect(await removes([])).toEqual({ printed: expect.stringContaining('it begins anew'), left: [] })

    const { child, refusal } = await dev()
    expect(refusal).toBe('')
    const after = await accountsOf(state)
    expect(after.organizations.map(({ id }) => id)).not.toEqual(before.organizations.map(({ id }) => id))
    await records.signIn(after)
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
  },
  5 * MINUTES_MS,
)

test.each([
  [
    'a port in use',
    [],
    { PORT: 'taken' },
    /^Port \d+ is in use by another program: choose another with PORT=\d+ \.\/scripts\/dev\n$/,
  ],
  ['an invalid port', [], { PORT: 'abc' }, /^PORT=abc is not a port: use a number from 1 to 65535\.\n$/],
  ['a host of another machine', [], { HOST: '203.0.113.1' }, /^HOST=203\.0\.113\.1 cannot be used: .*\n$/],
  [
    'an invalid log level',
    [],
    { LOG_LEVEL: 'loud' },
    /^The configuration is not valid:\n {2}LOG_LEVEL is not valid; .*\n$/,
  ],
  [
    'a database that does not answer',
    [],
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
    /^DATABASE_URL: Postgres on 127\.0\.0\.1:1 does not answer: nothing listens on this port\.\n$/,
  ],
  [
    'a NATS server that does not answer',
    [],
    { NATS_URL: 'nats://127.0.0.1:1' },
    /^NATS_URL: NATS on 127\.0\.0\.1:1 does not answer: nothing listens on this port\.\n$/,
  ],
  [
    'a reset with DATABASE_URL',
    ['--reset'],
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' },
    /^--reset removes only the embedded database: .*\n$/,
  ],
  ['demo data in production', [], { PUBLIC_URL: 'https://market.example' }, /Demo data is for development/],
  ['an unknown option', ['--rest'], {}, /^Unknown option --rest\n\nUsage: /],
])(
  '%s: refused in one sentence, and nothing keeps running',
  async (_what, options, env: Record<string, string>, sentence) => {
    const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const { child, refusal } = await dev(options, env.PORT === 'taken' ? { PORT: String(other.port) } : env)
    expect(await child.exited).toBe(1)
    expect(refusal).toMatch(sentence)
    expect(await Bun.file(join(checkout, '.dev', 'launcher.json')).exists()).toBe(false)
    expect(await Bun.file(join(checkout, '.dev', 'postgres', 'postmaster.pid')).exists()).toBe(false)
    other.stop(true)
  },
  MINUTES_MS,
)
