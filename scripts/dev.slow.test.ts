import { afterAll, afterEach, expect, test } from 'bun:test'
import { chmod, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMarketplace, serviceAccount } from '../proto/clients/typescript/src/index.ts'
import type { Assignment } from '../proto/http/sourcing/assignments.ts'
import type { Case } from '../proto/http/sourcing/cases.ts'
import type { Offer } from '../proto/http/sourcing/offers.ts'
import { ORDER_VIEWS, type Order } from '../proto/http/sourcing/orders.ts'
import { CASE_STATES } from '../proto/states/cases.ts'
import { OFFER_STATES, type OfferState } from '../proto/states/offers.ts'
import { ORDER_STATES, type OrderState } from '../proto/states/orders.ts'
import { until } from '../services/testing/until.ts'
import type { AccountsFile, DemoAccount } from './seed/accounts.ts'
import { BUN, ROOT } from './toolchain/checkout.ts'
import { freePort } from './toolchain/ports.ts'
import { commandOf } from './toolchain/processes.ts'
import { run } from './toolchain/run.ts'
import { folderElsewhere } from './toolchain/state.ts'

// A separate checkout, because this one may be running.
const checkout = await mkdtemp(join(tmpdir(), 'checkout-'))
await chmod(checkout, 0o755)
for (const name of ['services', 'proto', 'scripts', 'package.json', 'bun.lock', 'bunfig.toml']) {
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

/** The end of what the launcher prints when it is ready. */
const LAST_LINE = '-H "Authorization: Bearer $TOKEN"\n'

/** Starts the launcher and reads its output until it is ready or has ended. */
async function dev(options: string[] = [], env: Record<string, string> = {}) {
  // BUN_FEATURE_FLAG_NO_ORPHANS would end the services of a killed launcher, which this test needs.
  const { DATABASE_URL: _, NATS_URL: _n, HEALTH_PORT: _h, BUN_FEATURE_FLAG_NO_ORPHANS: _o, ...inherited } = process.env
  const child = Bun.spawn([BUN, join(checkout, 'scripts', 'dev.ts'), ...options], {
    cwd: checkout,
    env: { ...inherited, NODE_ENV: 'development', PORT: String(port), INVOKED_AS: './scripts/dev', ...env },
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

const signIn = ({ organizations }: AccountsFile) => signInAs(organizations.flatMap(({ accounts }) => accounts)[0])

async function signInAs({ email, password }: Partial<DemoAccount> = {}): Promise<string> {
  const answer = await fetch(`${address}/v2.3/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', username: email, password }),
  })
  expect(answer.status).toBe(200)
  const { access_token } = (await answer.json()) as { access_token: string }
  return access_token
}

async function list<Item>(token: string, path: string): Promise<Item[]> {
  const answer = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  const { items } = (await answer.json()) as { items: Item[] }
  return items
}

const listParts = (token: string) => list(token, '/v1/parts')

/** The states of the orders that the organizations of the demo see in the view of each of their roles. */
async function orderStates({ organizations }: AccountsFile): Promise<Map<string, Set<OrderState>>> {
  const states = new Map<string, Set<OrderState>>()
  for (const { roles, accounts } of organizations) {
    const token = await signInAs(accounts[0])
    for (const role of roles) {
      const orders = await list<Order>(token, `/v1/orders?view=${role}&pageSize=50`)
      states.set(role, new Set([...(states.get(role) ?? []), ...orders.map(({ state }) => state)]))
    }
  }
  return states
}

/** The cases of all organizations of the demo. */
async function listCases({ organizations }: AccountsFile): Promise<Case[]> {
  const lists = organizations.map(async ({ accounts }) =>
    list<Case>(await signInAs(accounts[0]), '/flows/v1/cases?pageSize=50'),
  )
  return (await Promise.all(lists)).flat()
}

/** The number of assignments that the manufacturers of the demo have, of archived ones, and of records of each kind. */
async function assignments({ organizations }: AccountsFile) {
  const counts = { assignments: 0, orders: 0, archived: 0, contacts: 0, 'billing-details': 0, extensions: 0 }
  for (const { accounts } of organizations.filter(({ roles }) => roles.includes('MANUFACTURER'))) {
    const token = await signInAs(accounts[0])
    counts.orders += (await list(token, '/v1/orders?view=MANUFACTURER&pageSize=50')).length
    for (const { id, archived } of await list<Assignment>(token, '/flows/v1/assignments?pageSize=50')) {
      counts.assignments++
      counts.archived += Number(archived)
      for (const kind of ['contacts', 'billing-details', 'extensions'] as const) {
        counts[kind] += (await list(token, `/flows/v1/assignments/${id}/${kind}`)).length
      }
    }
  }
  return counts
}

/** The states of the offers that the manufacturers of the demo made. */
async function offerStates({ organizations }: AccountsFile): Promise<OfferState[]> {
  const makers = organizations.filter(({ roles }) => roles.includes('MANUFACTURER'))
  const offers = await Promise.all(
    makers.map(async ({ accounts }) => list<Offer>(await signInAs(accounts[0]), '/v1/offers?pageSize=50')),
  )
  return [...new Set(offers.flat().map(({ state }) => state))].toSorted()
}

const MINUTES_MS = 60_000

/** Each line of an event follows that of its step. */
const TRADE_WITH_EVENTS = new RegExp(
  [
    /\. Skagen Pumps signs in: anders\.juhl@/,
    /Nordhavn Shipping registers a webhook endpoint .*: wh_\w{26}\n/,
    /Nordhavn Shipping publishes the RFQ: .* is OPEN\n {8}← cases\.created .* verified\n/,
    /Tanjong Castings declines: .*\n {8}← cases\.updated .* verified\n/,
    /Vestland Additive submits it: .* is SUBMITTED\n {8}← cases\.updated .*\(sourcing\.offer\.submitted\) {2}verified\n/,
    /awards 30 pieces .* is AWARDED\n( {8}← .* verified\n){3}/,
    /Ruhr Präzision ships: .* is SHIPPED\n {8}← assignments\.status\.updated .* is SHIPPED .* verified\n/,
    /Nordhavn Shipping accepts the goods: .* is COMPLETED\n {8}← assignments\.status\.updated .* is COMPLETED .* verified\n/,
    /\nThe endpoint of Nordhavn Shipping is deleted\. .*\n$/,
  ]
    .map(({ source }) => source)
    .join('[^]*'),
)

test(
  'a start without options: serves the demo, again after a kill and a restart, and stops at a signal',
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
    const listed = await run([BUN, join(checkout, 'scripts', 'dev.ts'), 'accounts'], { cwd: checkout })
    expect(all.filter(({ email }) => !listed.output.includes(email))).toEqual([])
    expect(first.printed).toContain(`\nIts documentation  ${address}/docs\n`)
    expect(first.printed).toContain(`\nexport BASE=${address} EMAIL=anders.juhl@skagen-pumps.example.com PASSWORD=`)
    const variables = await run([BUN, join(checkout, 'scripts', 'dev.ts'), 'accounts', '--env'], { cwd: checkout })
    expect(variables.output).toStartWith(`export BASE=${address}\nexport EMAIL=anders.juhl@`)
    const [, clientId = '', clientSecret = ''] =
      /\nexport CLIENT_ID=(sak_\w{26}) CLIENT_SECRET=(mkt_\w{49})\n$/.exec(variables.output) ?? []
    const program = createMarketplace({ url: address, credentials: serviceAccount({ clientId, clientSecret }) })
    expect((await program.GET('/flows/v1/me')).data.permissions).toContain('part:create')
    const demo = await run([BUN, join(checkout, 'scripts', 'demo.ts')], { cwd: checkout, timeoutMs: MINUTES_MS })
    expect([demo.output, demo.code]).toEqual([expect.stringMatching(TRADE_WITH_EVENTS), 0])
    const token = await signIn(accounts)
    const parts = await listParts(token)
    expect(parts.length).toBeGreaterThan(0)
    const states = await orderStates(accounts)
    expect([...states.keys()].toSorted()).toEqual([...ORDER_VIEWS].toSorted())
    expect([...states].filter(([, seen]) => seen.size === 0)).toEqual([])
    expect([...(states.get('CONSUMER') ?? [])].toSorted()).toEqual([...ORDER_STATES].toSorted())
    const cases = await listCases(accounts)
    expect([...new Set(cases.map(({ state }) => state))].toSorted()).toEqual([...CASE_STATES].toSorted())
    expect([cases.some(({ rfqId }) => rfqId), cases.some(({ orderId }) => orderId)]).toEqual([true, true])

    const { assignments: opened, orders, ...records } = await assignments(accounts)
    expect(opened).toBe(orders)
    expect(records).toEqual({ archived: 1, contacts: 4, 'billing-details': 2, extensions: 1 })

    // One offer of the demo expires a few seconds after the start.
    await until(async () => (await offerStates(accounts)).includes('EXPIRED'), { withinMs: 30_000, what: 'the expiry' })
    expect(await offerStates(accounts)).toEqual(OFFER_STATES.toSorted())

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
    const third = await dev()
    expect(third.refusal).toBe('')
    expect(await commandOf(services)).toBeUndefined()
    expect(await commandOf(postgres)).toBeUndefined()
    // The token from before the kill is still valid: same keys, same database.
    expect(await listParts(token)).toEqual(parts)

    const after = [(await read(folder, 'services.json')).pid, await postgresOf(folder)]
    third.child.kill('SIGTERM')
    expect(await third.child.exited).toBe(0)
    for (const pid of after) expect(await commandOf(pid)).toBeUndefined()
    await expect(fetch(address)).rejects.toThrow()
  },
  5 * MINUTES_MS,
)

test(
  '--watch --verbose: each request, a reload, and a failed reload with its reason, are printed',
  async () => {
    const { child, refusal } = await dev(['--watch', '--verbose'], { LOG_LEVEL: 'warn' })
    expect(refusal).toBe('')
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
    await writeFile(file, `${source}\n// changed\n`)
    await until(() => shown.includes('The services were reloaded.'), { withinMs: MINUTES_MS, what: 'a reload' })
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
    await writeFile(file, source)
  },
  5 * MINUTES_MS,
)

test(
  '--reset: new organizations and accounts',
  async () => {
    const first = await dev()
    const folder = folderIn(first.printed)
    const before: AccountsFile = await read(folder, 'accounts.json')
    first.child.kill('SIGINT')
    expect(await first.child.exited).toBe(0)
    const second = await dev(['--reset'])
    expect(second.refusal).toBe('')
    const after: AccountsFile = await read(folder, 'accounts.json')
    expect(after.organizations.map(({ id }) => id)).not.toEqual(before.organizations.map(({ id }) => id))
    await signIn(after)
    second.child.kill('SIGINT')
    expect(await second.child.exited).toBe(0)
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
