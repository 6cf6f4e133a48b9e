import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../../services/testing/free-port.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../../../services/testing/marketplace.ts'
import { createdAccount, createdKey } from '../../../../services/testing/service-accounts.ts'
import { until } from '../../../../services/testing/until.ts'

setDefaultTimeout(60_000)
const MAIN = join(import.meta.dir, '..', 'src', 'cli', 'main.ts')
const DOCUMENT = join(import.meta.dir, '..', '..', '..', 'openapi', 'marketplace.json')
// Upload URLs begin with PUBLIC_URL, so it must be the actual address.
const port = String(freePort())
const market = await marketplaceWithWorkers(['sourcing', 'webhooks'], {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  PORT: port,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
})
const org = await market.organization(['IP_OWNER'])
const { client: admin, email } = org.administrator
const roles = await admin.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
const ipOwner = roles.body.items.find(({ name }) => name === 'IP owner')?.id as string
const { clientId, clientSecret } = await createdKey(admin, (await createdAccount(admin, { roleIds: [ipOwner] })).id)
const home = await mkdtemp(join(tmpdir(), 'marketplace-cli-'))
afterAll(() => rm(home, { recursive: true, force: true }))
const ACCOUNT = {
  MARKETPLACE_URL: market.url,
  MARKETPLACE_CLIENT_ID: clientId,
  MARKETPLACE_CLIENT_SECRET: clientSecret,
}

async function run(
  words: string[],
  { env = ACCOUNT, input = '' }: { env?: Record<string, string>; input?: string } = {},
) {
  const child = Bun.spawn([process.execPath, MAIN, ...words], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, output, errors }
}

const json = async (words: string[], options?: Parameters<typeof run>[1]) => {
  const { code, output, errors } = await run(words, options)
  expect([code, errors]).toEqual([0, ''])
  return JSON.parse(output)
}

describe('an operation', () => {
  test('takes its path as arguments, and its fields as options, as a file, or from standard input', async () => {
    const { id } = await json(['create-part', '--title', 'Impeller', '--internal', '--body', '{"keywords": ["pump"]}'])
    expect(await json(['get-part', id])).toMatchObject({ title: 'Impeller', internal: true, keywords: ['pump'] })
    expect(await json(['batch-get-parts', '--body', JSON.stringify({ ids: [id] })])).toMatchObject({ items: [{ id }] })
    await writeFile(join(home, 'part.json'), '{"title": "Impeller, 90 mm"}')
    expect(await json(['patch-part', id, '--body', '@part.json'])).toMatchObject({ title: 'Impeller, 90 mm' })
    const piped = await json(['patch-part', id, '--body', '-'], { input: '{"title": null, "materialId": "316l"}' })
    expect([piped.title, piped.materialId]).toEqual([undefined, '316l'])
  })

  test('that the marketplace refuses ends with 1, its code and its fields', async () => {
    const { code, output, errors } = await run(['create-part', '--material-id', 'unobtainium'])
    expect([code, output]).toEqual([1, ''])
    expect(errors).toMatch(
      /^POST \/v1\/parts answered 400: materialId: .*\(validation_error\)\n {2}materialId: .*\nrequest \S+\n$/,
    )
    const both = await run(['create-part', '--material-id', 'unobtainium', '--process-id', 'magic'])
    expect(both.errors).toMatch(/ \(validation_error\)\n {2}materialId: .*\n {2}processId: .*\nrequest \S+\n$/)
    const { id } = await json(['create-part', '--title', 'Gear'])
    const outdated = await run(['patch-part', id, '--title', 'Gear, 60', '--if-match', '"old"'])
    expect([outdated.code, outdated.errors]).toEqual([1, expect.stringContaining('(precondition_failed)')])
  })

  test('with a wrong command line ends with 2', async () => {
    for (const words of [['list-partz'], ['list-parts', '--vieww', 'x'], ['list-parts', '--view', 'x'], ['get-part']]) {
      const { code, output, errors } = await run(words)
      expect([words, code, output]).toEqual([words, 2, ''])
      expect(errors).toMatch(/^error: .*\n/)
    }
    const empty = await run(['patch-part', 'part_1'])
    expect([empty.code, empty.errors]).toEqual([2, expect.stringContaining('needs a body')])
    const array = await run(['create-part', '--body', '[]'])
    expect([array.code, array.errors]).toEqual([2, 'The body is not a JSON object.\n'])
    for (const [words, reason] of [
      [['webhooks', 'listen', '--port', 'abc'], 'It is no port.'],
      [['webhooks', 'listen', '--forward-to', 'nonsense'], 'It is no address such as'],
      [['list-parts', '--columns', 'title,colour'], 'The columns are id, serialNumber, '],
      [['upload', home], 'is no file.'],
    ] as const) {
      const { code, output, errors } = await run([...words])
      expect([words, code, output, errors]).toEqual([words, 2, '', expect.stringContaining(reason)])
    }
    const address = await run(['list-parts'], { env: { ...ACCOUNT, MARKETPLACE_URL: 'localhost:8080' } })
    expect([address.code, address.errors]).toEqual([2, 'localhost:8080 is no address such as https://market.example\n'])
  })

  test('tells in its help what is required, and what only --body can have', async () => {
    const { output } = await run(['award-rfq', '--help'])
    expect(output).toMatch(/--awards <key=value,…> +\(required\) /)
    expect((await run(['create-rfq', '--help'])).output).toMatch(/--part-id <value> +\(required\) /)
    // The help of a marketplace that cannot be reached is that of its document, which was read before.
    const stopped = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(Bun.file(DOCUMENT)) })
    const env = { ...ACCOUNT, MARKETPLACE_URL: `http://127.0.0.1:${stopped.port}` }
    await run(['get-me', '--help'], { env })
    await stopped.stop(true)
    expect(await run(['get-me', '--help'], { env })).toMatchObject({ code: 0, errors: '' })
    expect((await run(['get-me'], { env })).code).toBe(4)
  })

  test('also prints a record as a table or CSV', async () => {
    const { id } = await json(['create-part', '--title', 'Ring'])
    const csv = await run(['get-part', id, '--output', 'csv', '--columns', 'title,state'])
    expect([csv.code, csv.output]).toEqual([0, 'title,state\r\nRing,DRAFT\r\n'])
    const table = await run(['get-part', id, '--output', 'table', '--columns', 'title,state'])
    expect([table.code, table.output]).toEqual([0, 'title  state\nRing   DRAFT\n'])
    const env = { MARKETPLACE_URL: market.url, MARKETPLACE_TOKEN: admin.accessToken ?? '' }
    const body = ['--url', 'https://hooks.example.com/', '--body', '{"events": ["cases.closed"]}']
    const endpoint = await run(['create-webhook-endpoint', ...body, '--output', 'csv', '--columns', 'url,events'], {
      env,
    })
    const row = 'url,events\r\nhttps://hooks.example.com/,"[""cases.closed""]"\r\n'
    expect([endpoint.code, endpoint.output]).toEqual([0, row])
    const endpoints = await run(['list-webhook-endpoints', '--output', 'csv', '--columns', 'url,events'], { env })
    expect([endpoints.code, endpoints.output]).toEqual([0, row])
    const [{ id: endpointId }] = (await json(['list-webhook-endpoints'], { env })).items
    expect((await run(['delete-webhook-endpoint', endpointId], { env })).code).toBe(0)
  })

  test('that answers lines of text prints them', async () => {
    const token = { MARKETPLACE_URL: market.url, MARKETPLACE_TOKEN: admin.accessToken ?? '' }
    const { code, output } = await run(['export-audit-log'], { env: token })
    expect(code).toBe(0)
    for (const line of output.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('procedure')
  })
})

test('a list is one page, or with --all every page, as JSON, CSV or a table', async () => {
  for (let count = 1; count <= 60; count++) await admin.post('/v1/parts', { title: `Bolt "${count}"` })
  const query = ['list-parts', '--view', 'IP_OWNER', '--q', 'Bolt']
  const first = await run([...query, '--page-size', '7', '--page', '2'])
  expect(first.errors).toBe('There are more: --page 3, or --all.\n')
  expect(JSON.parse(first.output)).toEqual({ items: expect.any(Array), hasMore: true })
  expect(JSON.parse(first.output).items).toHaveLength(7)
  const all = (await json([...query, '--all'])) as { items: { title: string }[]; hasMore: boolean }
  expect(all.hasMore).toBe(false)
  expect(all.items.map(({ title }) => title)).toEqual(Array.from({ length: 60 }, (_, at) => `Bolt "${60 - at}"`))
  const csv = (await run([...query, '--all', '--output', 'csv'])).output.split('\r\n')
  expect(csv[0]).toMatch(/^id,serialNumber,ipOwnerOrgId,state,.*title/)
  expect(csv).toHaveLength(62)
  expect(csv[1]).toContain(',"Bolt ""60""",')
  const table = (await run([...query, '--output', 'table'])).output.split('\n')
  expect(table[0]).toMatch(/^id +serialNumber +title +state +ipOwnerOrgId/)
  expect(table[1]).toMatch(/^part_\w{26} {2}P-\w{8} {4}Bolt "60" {2}DRAFT /)
  for (const line of table) expect(line.length).toBeLessThanOrEqual(120)
})

test('upload sends a file and adds it to a part', async () => {
  const { id } = await json(['create-part', '--title', 'Drawn'])
  await writeFile(join(home, 'drawing.stl'), 'solid drawing\nendsolid drawing\n')
  const uploaded = await json(['upload', 'drawing.stl', '--part', id, '--group', 'preview'])
  expect(uploaded).toEqual({ id: expect.stringMatching(/^upload_/), name: 'drawing.stl', size: 31 })
  expect(await json(['list-part-files', id])).toMatchObject({
    items: [{ name: 'drawing.stl', group: 'preview', size: 31 }],
  })
  const unknown = await run(['upload', 'drawing.stl', '--part', 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'])
  expect([unknown.code, unknown.errors]).toEqual([1, expect.stringMatching(/^GET \/v1\/parts\/\w+ answered 404: /)])
  const missing = await run(['upload', 'no.stl'])
  expect([missing.code, missing.errors]).toEqual([2, expect.stringContaining('The file cannot be read')])
})

describe('a sign-in', () => {
  const signedIn = { MARKETPLACE_PASSWORD: TEST_PASSWORD }
  const folder = join(home, '.local', 'state', 'marketplace')

  test('keeps a refresh token that only its owner can read, and nothing else that is secret', async () => {
    const login = await run(['login', '--url', `${market.url}/`, '--email', email], { env: signedIn })
    expect(login).toEqual({ code: 0, output: '', errors: `${email} is signed in at ${market.url}.\n` })
    const [session = '', ...others] = (await readdir(folder)).sort()
    expect([session, others]).toEqual([expect.stringMatching(/^refresh-token-/), ['url']])
    expect((await stat(join(folder, session))).mode & 0o777).toBe(0o600)
    const first = await readFile(join(folder, session), 'utf8')
    expect(await json(['get-me'], { env: {} })).toMatchObject({ user: { email } })
    expect(await readFile(join(folder, session), 'utf8')).not.toBe(first)
  })

  test('serves several commands at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => run(['list-roles'], { env: {} })))
    expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  })

  test('asks for the password on standard input', async () => {
    const login = await run(['login', '--email', email], { env: {}, input: `${TEST_PASSWORD}\n` })
    expect([login.code, login.errors]).toEqual([0, expect.stringContaining('is signed in')])
  })

  test('with a wrong password ends with 3', async () => {
    const { code, errors } = await run(['login', '--email', email], { env: { MARKETPLACE_PASSWORD: 'wrong password' } })
    expect([code, errors]).toEqual([3, expect.stringContaining('(invalid_credentials)')])
  })

  test('ends with logout', async () => {
    expect(await run(['logout'], { env: {} })).toEqual({ code: 0, output: '', errors: '' })
    const { code, errors } = await run(['list-roles'], { env: {} })
    expect([code, errors]).toEqual([
      3,
      `You are not signed in at ${market.url}: run \`marketplace login --url ${market.url}\`.\n`,
    ])
  })
})

test('a marketplace that does not answer ends with 4', async () => {
  const { code, errors } = await run(['list-parts'], { env: { ...ACCOUNT, MARKETPLACE_URL: 'http://127.0.0.1:1' } })
  expect([code, errors]).toEqual([4, expect.stringMatching(/^The marketplace cannot be reached: /)])
})

test('webhooks listen prints verified events, and deletes its endpoint at the end', async () => {
  const token = { MARKETPLACE_URL: market.url, MARKETPLACE_TOKEN: admin.accessToken ?? '' }
  const child = Bun.spawn([process.execPath, MAIN, 'webhooks', 'listen', '--port', String(freePort())], {
    env: { PATH: process.env.PATH ?? '', HOME: home, ...token },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  let printed = ''
  const reading = [
    (async () => {
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) said += text
    })(),
    (async () => {
      for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) printed += text
    })(),
  ]
  await until(() => said.includes('Ctrl-C ends it.'), { what: 'the listener' })
  const endpoints = async () =>
    (await admin.get<{ data: { id: string; url: string }[] }>('/v2.3/webhooks/endpoints')).body
  const [endpoint] = (await endpoints()).data
  expect((await fetch(endpoint?.url ?? '', { method: 'POST', body: '{}' })).status).toBe(400)
  await admin.post(`/flows/v1/webhooks/endpoints/${endpoint?.id}/test`, { type: 'cases.closed' })
  await until(() => printed.includes('\n'), { what: 'an event' })
  expect(JSON.parse(printed)).toMatchObject({ type: 'cases.closed', data: { test: true } })
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  await Promise.all(reading)
  expect(said).toContain(`The endpoint ${endpoint?.id} is deleted.`)
  expect((await endpoints()).data).toEqual([])
})

test('help and completion offer commands, options and values', async () => {
  const complete = async (...words: string[]) =>
    (await run(['complete', '--', ...words])).output.trim().split('\n').sort()
  expect(await complete('list-rf')).toEqual([
    'list-rfq-acceptances',
    'list-rfq-files',
    'list-rfq-history',
    'list-rfq-invitations',
    'list-rfq-matches',
    'list-rfq-packages',
    'list-rfq-questions',
    'list-rfq-sellers',
    'list-rfqs',
  ])
  const offline = { env: { HOME: join(home, 'new') } }
  for (const words of [['--help'], ['help']]) {
    const help = await run(words, offline)
    expect([words, help.code, help.errors]).toEqual([words, 0, ''])
    expect(help.output).toEndWith(
      'The operations are missing here: Sign in with `marketplace login`, or set MARKETPLACE_URL.\n',
    )
  }
  expect(await run(['--version'], offline)).toEqual({ code: 0, output: '0.1.0\n', errors: '' })
  expect(await complete('list-parts', '--vi')).toEqual(['--view'])
  expect(await complete('list-parts', '--view', 'IP')).toEqual(['IP_OWNER'])
  expect(await complete('test-webhook-endpoint', '--type', 'cases.cr')).toEqual(['cases.created'])
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = await run(['completion', shell])
    expect(script.code).toBe(0)
    const syntax = shell === 'fish' ? ['-n', '/dev/stdin'] : ['-n']
    if (!Bun.which(shell)) continue
    const checked = Bun.spawn([shell, ...syntax], { stdin: new Blob([script.output]), stderr: 'pipe' })
    expect([shell, await checked.stderr.text(), await checked.exited]).toEqual([shell, '', 0])
  }
  // What completes the files of an upload.
  expect((await run(['completion', 'zsh'])).output).toContain('else _files')
  expect((await run(['completion', 'fish'])).output).toContain("-F -n '__fish_seen_subcommand_from upload'")
  expect((await run(['completion', 'tcsh'])).code).toBe(2)
})
