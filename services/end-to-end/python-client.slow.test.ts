import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Offer } from '../../proto/http/sourcing/offers.ts'
import type { Order } from '../../proto/http/sourcing/orders.ts'
import type { CreatedWebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import type { ApiClient } from '../testing/client.ts'
import { createFactory } from '../testing/factories.ts'
import { freePort } from '../testing/free-port.ts'
import { TEST_PASSWORD, testMarketplace } from '../testing/marketplace.ts'
import { rfqParties } from '../testing/rfqs.ts'
import { createdAccount, createdKey } from '../testing/service-accounts.ts'
import { until } from '../testing/until.ts'

setDefaultTimeout(180_000)
const ROOT = join(import.meta.dir, '..', '..')
const PACKAGES = process.env.TEST_PYTHON_PACKAGES ?? ''

const port = String(freePort())
const url = `http://127.0.0.1:${port}`
const market = await testMarketplace({ PORT: port, PUBLIC_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' })
const { consumer, ipOwner, maker, open, buyer } = await rfqParties(market)

// A copy, so that no generated code is written into the checkout.
const copy = await mkdtemp(join(tmpdir(), 'python-client-'))
for (const path of ['LICENSE', 'proto/openapi/marketplace.json', 'proto/clients/python'])
  await cp(join(ROOT, path), join(copy, path), { recursive: true })
const folder = join(copy, 'proto', 'clients', 'python')
const running: Bun.Subprocess[] = []
afterAll(async () => {
  for (const child of running) child.kill()
  await rm(copy, { recursive: true, force: true })
})

/** The environment of a program that signs in with a service account of the organization. */
async function accountOf(admin: ApiClient, roleName: string): Promise<Record<string, string>> {
  const roles = await admin.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
  const role = roles.body.items.find(({ name }) => name === roleName)
  if (!role) throw new Error(`there is no role ${roleName}`)
  const account = await createdAccount(admin, { roleIds: [role.id] })
  const { clientId, clientSecret } = await createdKey(admin, account.id)
  return { MARKETPLACE_URL: url, MARKETPLACE_CLIENT_ID: clientId, MARKETPLACE_CLIENT_SECRET: clientSecret }
}

function start(words: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(['python3', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', PYTHONPATH: `${join(folder, 'src')}:${PACKAGES}`, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  running.push(child)
  const printed = { text: '' }
  const reading = [child.stdout, child.stderr].map(async (stream) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) printed.text += chunk
  })
  const ended = Promise.all([...reading, child.exited]).then(() => child.exitCode)
  return { child, printed, ended }
}

/** Runs a program to its end and returns its exit code with what it printed. */
async function python(words: readonly string[], env?: Record<string, string>): Promise<[number | null, string]> {
  const { printed, ended } = start(words, env)
  return [await ended, printed.text]
}

beforeAll(async () => {
  // The build of the package generates its code, as `pip install` does.
  const [code, output] = await python(['-m', 'hatchling', 'build', '--target', 'wheel'])
  expect([code, output]).toEqual([0, expect.not.stringContaining('WARNING')])
})

test('the built package has the generated code and the licence', async () => {
  const [code, output] = await python(['-m', 'zipfile', '--list', 'dist/marketplace_client-0.1.0-py3-none-any.whl'])
  expect(code).toBe(0)
  for (const name of ['generated/api/parts/get_part.py', 'py.typed', 'LICENSE'])
    expect(output).toContain(`marketplace_client/${name}`)
})

test('the package is typed and has the format of ruff', async () => {
  expect(await python(['-m', 'mypy'])).toEqual([0, expect.stringContaining('no issues found')])
  expect(await python(['-m', 'ruff', 'check', '.'])).toEqual([0, expect.stringContaining('All checks passed!')])
  expect(await python(['-m', 'ruff', 'format', '--check', '.'])).toEqual([0, expect.any(String)])
})

test('its tests pass against a marketplace', async () => {
  const person = { MARKETPLACE_USERNAME: ipOwner.administrator.email, MARKETPLACE_PASSWORD: TEST_PASSWORD }
  const account = await accountOf(ipOwner.administrator.client, 'IP owner')
  const [code, output] = await python(['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { ...account, ...person })
  expect([output, code]).toEqual([expect.stringMatching(/\d{2} passed/), 0])
})

test('parts_to_csv.py lists the parts of the organization', async () => {
  const account = await accountOf(ipOwner.administrator.client, 'IP owner')
  const { body } = await ipOwner.administrator.client.post<{ serialNumber: string }>('/v1/parts', {
    title: 'Gear, "60"',
  })
  const [code, output] = await python(['examples/parts_to_csv.py'], account)
  expect([code, output]).toEqual([0, expect.stringContaining('id,serialNumber,title,state,createdTime\r\n')])
  expect(output).toContain(`,${body.serialNumber},"Gear, ""60""",DRAFT,`)
})

test('answer_rfqs.py offers for an open RFQ once, and follow_order.py prints the states of its order', async () => {
  await createFactory(maker.administrator.client)
  const rfqId = await open()
  const account = await accountOf(maker.administrator.client, 'Manufacturer')
  const [code, output] = await python(['examples/answer_rfqs.py', '--submit'], account)
  expect([code, output]).toEqual([0, expect.stringMatching(/^R-\w{8}: offer_\w{26}\n$/)])
  expect(await python(['examples/answer_rfqs.py', '--submit'], account)).toEqual([0, ''])

  const { client } = consumer.administrator
  const offers = await client.get<{ items: Offer[] }>(`/v1/offers?rfqId=${rfqId}`)
  const [offer] = offers.body.items
  expect(offer).toMatchObject({ state: 'SUBMITTED', priceBreaks: [{ minQuantity: 1 }, {}, {}] })
  const awarded = await buyer.act(rfqId, 'award', { awards: [{ offerId: offer?.id, quantity: 10 }] })
  expect(awarded.status).toBe(200)
  const orders = await client.get<{ items: Order[] }>('/v1/orders')
  const [order] = orders.body.items
  const followed = start(['examples/follow_order.py', order?.id ?? ''], account)
  await until(() => followed.printed.text.includes(' PLACED\n'), { what: 'the first line', withinMs: 20_000 })
  await maker.administrator.client.post(`/flows/v1/orders/${order?.id}/decline`, { reason: 'No capacity' })
  expect(await followed.ended).toBe(0)
  expect(followed.printed.text).toMatch(/^\S+ O-\w{8} PLACED\n\S+ O-\w{8} DECLINED\n$/)
})

test('receiver.py prints a verified event', async () => {
  const receiverPort = freePort()
  const { client } = consumer.administrator
  const answer = await client.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', {
    url: `http://127.0.0.1:${receiverPort}/`,
    events: ['cases.*'],
  })
  const { id, secret } = answer.body.data
  const receiver = start(['examples/receiver.py'], { PORT: String(receiverPort), WEBHOOK_SECRET: secret })
  const answers = () =>
    fetch(`http://127.0.0.1:${receiverPort}/`, { method: 'POST', body: '{}' }).catch(() => undefined)
  await until(async () => (await answers())?.status === 400, { what: 'the receiver', withinMs: 20_000 })
  await client.post(`/flows/v1/webhooks/endpoints/${id}/test`, { type: 'cases.closed' })
  await until(() => receiver.printed.text !== '', { what: 'an event', withinMs: 20_000 })
  expect(receiver.printed.text).toMatch(/^\S+ cases\.closed \{'test': True\}\n$/)
})
