import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { marketplaceOf, TEST_PASSWORD } from '../../../../services/testing/marketplace.ts'
import { createdAccount, createdKey } from '../../../../services/testing/service-accounts.ts'

/** `marketplace mcp` in a process of its own, with a client of the protocol. */
setDefaultTimeout(60_000)
const MAIN = join(import.meta.dir, '..', 'src', 'cli', 'main.ts')
const market = await marketplaceOf(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const roles = await admin.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
const ipOwner = roles.body.items.find(({ name }) => name === 'IP owner')?.id as string
const { clientId, clientSecret } = await createdKey(admin, (await createdAccount(admin, { roleIds: [ipOwner] })).id)
const home = await mkdtemp(join(tmpdir(), 'marketplace-mcp-'))
afterAll(() => rm(home, { recursive: true, force: true }))

async function agent(words: string[], env: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'mcp', ...words],
      cwd: home,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        MARKETPLACE_URL: market.url,
        MARKETPLACE_CLIENT_ID: clientId,
        MARKETPLACE_CLIENT_SECRET: clientSecret,
        ...env,
      },
      stderr: 'inherit',
    }),
  )
  afterAll(() => client.close())
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    const [first] = content as { type: string; text?: string }[]
    return { text: first?.text ?? '', isError: isError ?? false }
  }
  return { client, call }
}

const reader = await agent([])
const writer = await agent(['--allow-writes'])
const idsFound = async ({ call }: typeof reader, query: string) =>
  (JSON.parse((await call('search_operations', { query })).text) as { id: string }[]).map(({ id }) => id)

describe('marketplace mcp', () => {
  test('offers three tools, which say whether they change something', async () => {
    for (const [{ client }, readOnlyHint] of [
      [reader, true],
      [writer, false],
    ] as const) {
      const { tools } = await client.listTools()
      expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
        ['search_operations', true],
        ['describe_operation', true],
        ['call_operation', readOnlyHint],
      ])
    }
  })

  test('finds operations by words, and commands only with --allow-writes', async () => {
    expect(await idsFound(reader, 'list parts')).toContain('listParts')
    expect(await idsFound(reader, 'create a part')).not.toContain('createPart')
    expect(await idsFound(writer, 'create a part')).toContain('createPart')
    expect(await idsFound(reader, 'nonsense-word')).toEqual([])
    expect((await idsFound(writer, 'a')).length).toBe(25)
  })

  test('describes parameters and bodies without references', async () => {
    const { text } = await writer.call('describe_operation', { id: 'createPart' })
    const described = JSON.parse(text)
    expect(described).toMatchObject({ request: 'POST /v1/parts', changes: true, body: { type: 'object' } })
    expect(described.body.properties.title).toMatchObject({ type: 'string' })
    expect(text).not.toContain('$ref')
    const unknown = await writer.call('describe_operation', { id: 'nothing' })
    expect([unknown.isError, unknown.text]).toEqual([true, 'There is no operation nothing.'])
  })

  test('calls operations with the permissions of the account, and tells refusals', async () => {
    const created = await writer.call('call_operation', { id: 'createPart', body: { title: 'Impeller' } })
    expect([created.isError, created.text]).toEqual([false, expect.stringContaining('status 200')])
    const { id } = JSON.parse(created.text.slice(created.text.indexOf('{')))
    const read = await reader.call('call_operation', { id: 'getPart', parameters: { id } })
    expect(read.text).toMatch(/^status 200, ETag "[^"]+"\n\{.*"title":"Impeller"/)
    const listed = await reader.call('call_operation', {
      id: 'listParts',
      parameters: { view: 'IP_OWNER', pageSize: 1 },
    })
    expect(JSON.parse(listed.text.slice(listed.text.indexOf('{'))).items).toHaveLength(1)
    const wrong = await writer.call('call_operation', { id: 'createPart', body: { materialId: 'unobtainium' } })
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('(validation_error)')])
    const forbidden = await writer.call('call_operation', { id: 'createRole', body: { name: 'x', permissions: [] } })
    expect([forbidden.isError, forbidden.text]).toEqual([true, expect.stringContaining('(forbidden)')])
  })

  test('refuses commands without --allow-writes, secrets always, and wrong parameters with a sentence', async () => {
    const write = await reader.call('call_operation', { id: 'createPart', body: { title: 'x' } })
    expect([write.isError, write.text]).toEqual([true, expect.stringContaining('--allow-writes')])
    for (const id of ['createToken', 'createServiceAccountKey', 'resetUserPassword', 'redeemActivation'])
      expect((await writer.call('call_operation', { id })).isError).toBe(true)
    const unknown = await reader.call('call_operation', { id: 'getPart', parameters: { id: 'part_1', colour: 'red' } })
    expect(unknown.text).toContain('getPart has no parameter colour; it has id')
    expect((await reader.call('call_operation', { id: 'getPart' })).text).toBe('The parameter id is missing.')
    const dots = await writer.call('call_operation', { id: 'publishPart', parameters: { id: '..' } })
    expect([dots.isError, dots.text]).toEqual([true, 'The parameter id is no id.'])
    const traversal = await reader.call('call_operation', { id: 'getPart', parameters: { id: '../orgs/x' } })
    expect([traversal.isError, traversal.text]).toEqual([true, expect.stringContaining('(not_found)')])
  })

  test('hides the secrets of answers', async () => {
    const form = { grant_type: 'password', username: org.administrator.email, password: TEST_PASSWORD }
    const { body } = await market.anonymous.post<{ access_token: string }>('/v2.3/oauth/token', form)
    const administrator = await agent(['--allow-writes'], { MARKETPLACE_TOKEN: body.access_token })
    const { text } = await administrator.call('call_operation', {
      id: 'createUser',
      body: { email: 'ida@example.com', givenName: 'Ida', familyName: 'Holm' },
    })
    expect(text).toContain('"activationUrl":"[hidden from agents]"')
    expect(text).not.toContain('/activate')
  })

  test('obtains one token for many calls, and another one after the next login', async () => {
    const tokenRequests: string[] = []
    using proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const { pathname, search } = new URL(request.url)
        if (pathname.endsWith('/oauth/token')) tokenRequests.push(pathname)
        return fetch(`${market.url}${pathname}${search}`, request)
      },
    })
    const url = `http://127.0.0.1:${proxy.port}`
    const login = async (email: string) => {
      const child = Bun.spawn([process.execPath, MAIN, 'login', '--url', url, '--email', email], {
        env: { PATH: process.env.PATH ?? '', HOME: home, MARKETPLACE_PASSWORD: TEST_PASSWORD },
        stderr: 'ignore',
      })
      expect(await child.exited).toBe(0)
    }
    const other = (await market.organization(['CONSUMER'])).administrator
    await login(org.administrator.email)
    const noKey = { MARKETPLACE_URL: url, MARKETPLACE_CLIENT_ID: '', MARKETPLACE_CLIENT_SECRET: '' }
    const { call } = await agent([], noKey)
    const caller = async () => {
      const { text } = await call('call_operation', { id: 'getMe' })
      return JSON.parse(text.slice(text.indexOf('{'))).user.email
    }
    tokenRequests.length = 0
    expect(await Promise.all([caller(), caller()])).toEqual([org.administrator.email, org.administrator.email])
    expect((await call('call_operation', { id: 'getPart', parameters: { id: 'part_none' } })).isError).toBe(true)
    expect(await caller()).toBe(org.administrator.email)
    expect(tokenRequests).toEqual(['/v2.3/oauth/token'])
    await login(other.email)
    expect(await caller()).toBe(other.email)
  })

  test('without a sign-in says how to sign in', async () => {
    const stranger = await agent([], { MARKETPLACE_CLIENT_ID: '', MARKETPLACE_CLIENT_SECRET: '' })
    const { isError, text } = await stranger.call('call_operation', { id: 'getMe' })
    expect([isError, text]).toEqual([true, expect.stringContaining('marketplace login')])
  })
})
