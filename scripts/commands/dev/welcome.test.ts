import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountsFile } from '../seed/accounts.ts'
import { emailOf, ORGANIZATIONS } from '../seed/story.ts'
import { accountsTable, guideVariables, readAccounts, welcome } from './welcome.ts'

const root = await mkdtemp(join(tmpdir(), 'welcome-'))
afterAll(() => rm(root, { recursive: true }))
const path = join(root, 'accounts.json')

const anna = {
  email: 'anna@oertel.example',
  password: "it's secret",
  administrator: true,
  permissions: ['org:admin' as const],
}
const ben = { email: 'b@b.example', password: 'x', administrator: false, permissions: [] }
const file: AccountsFile = {
  organizations: [
    { id: 'org_1', name: 'B', roles: ['MANUFACTURER'], engagement: 'DIRECT', accounts: [ben] },
    { id: 'org_2', name: 'Örtel AG', roles: ['CONSUMER', 'IP_OWNER'], engagement: 'DIRECT', accounts: [anna] },
  ],
}

const story: AccountsFile = {
  organizations: ['IP_OWNER', 'MANUFACTURER', 'CONSUMER'].map((role) => ({
    id: role,
    name: role,
    roles: role === 'IP_OWNER' ? [role, 'CONSUMER'] : [role],
    engagement: 'DIRECT',
    accounts: ['administrator', 'member', 'viewer'].map((kind) => ({
      email: `${kind}@${role}.example`,
      password: 'x',
      administrator: kind === 'administrator',
      permissions: kind === 'viewer' ? [] : ['part:create' as const],
    })),
  })),
}

test('the welcome shows two accounts of an IP owner and one of a consumer, and ends with lines to paste', () => {
  const text = welcome({ address: 'http://localhost:8080', mailbox: 'http://localhost:9/' }, story, '/log')
  const table = text.slice(0, text.indexOf('./scripts/dev accounts'))
  expect(text).toContain(
    'The marketplace    http://localhost:8080\nIts console        http://localhost:8080/console\nIts documentation  http://localhost:8080/docs\nIts mails          http://localhost:9/\n',
  )
  expect([...table.matchAll(/\S+@\S+/g)].map(([email]) => email)).toEqual([
    'administrator@IP_OWNER.example',
    'member@IP_OWNER.example',
    'member@CONSUMER.example',
  ])
  expect(text).toContain('\nexport BASE=http://localhost:8080 EMAIL=member@IP_OWNER.example PASSWORD=x\n')
  expect(text).toEndWith('-H "Authorization: Bearer $TOKEN"\n')
})

test('all accounts are a table with aligned columns', () => {
  const lines = accountsTable(file).split('\n')
  expect(lines).toContain('  organization  e-mail               password     account        roles of the organization')
  expect(lines).toContain("  Örtel AG      anna@oertel.example  it's secret  administrator  CONSUMER, IP_OWNER")
  expect(lines).toContain('  B             b@b.example          x            viewer         MANUFACTURER')
})

test('the first requests work when copied, with any password', async () => {
  const text = welcome({ address: 'http://localhost:8080', mailbox: 'http://localhost:9/' }, file, '/log')
  const commands = text.slice(text.indexOf('export '))
  // Replaces curl, which may be missing: prints its arguments and answers as the token endpoint.
  const curl = `curl() { printf '%s\\n' "$@" >&2; echo '{"token_type":"Bearer","access_token":"a.b-c","expires_in":900}'; }`
  const shell = Bun.spawn(['sh', '-ec', `${curl}\n${commands}`], { stdout: 'ignore', stderr: 'pipe' })
  const asked = (await shell.stderr.text()).split('\n')
  expect(await shell.exited).toBe(0)
  expect(asked).toContain('http://localhost:8080/v2.3/oauth/token')
  expect(asked).toContain(`username=${anna.email}`)
  expect(asked).toContain(`password=${anna.password}`)
  expect(asked).toContain('http://localhost:8080/v1/parts?pageSize=3')
  expect(asked).toContain('Authorization: Bearer a.b-c')
})

test('the variables of the guides are those that the guides use and do not set', async () => {
  const accounts = ORGANIZATIONS.flatMap((organization) =>
    Object.values(organization.people).map((person) => ({ ...ben, email: emailOf(person, organization) })),
  )
  const lines = guideVariables('http://localhost:8080', {
    organizations: [
      {
        id: 'org_1',
        name: 'All',
        roles: [],
        engagement: 'DIRECT',
        accounts,
        program: { clientId: 'sak_1', clientSecret: 'mkt_2' },
      },
    ],
  })
  const shell = Bun.spawn(['sh', '-euc', `${lines}\nenv`], { env: {} })
  const set = (await shell.stdout.text()).split('\n')
  expect(set).toContain('EMAIL=anders.juhl@skagen-pumps.example.com')
  expect(set).toContain('MARKETPLACE_URL=http://localhost:8080')
  expect(set).toContain('MARKETPLACE_CLIENT_ID=sak_1')
  expect(set).toContain('MARKETPLACE_CLIENT_SECRET=mkt_2')
  expect(set).toContain('BUYER_EMAIL=mikkel.friis@nordhavn.example.com')
  const guides = join(import.meta.dir, '..', '..', '..', 'proto', 'guides')
  for (const name of await readdir(guides)) {
    const text = await Bun.file(join(guides, name)).text()
    for (const [, variable = ''] of text.matchAll(/\$(\w*PASSWORD)\b/g)) {
      const isKnown = text.includes(`\n${variable}=`) || set.some((line) => line.startsWith(`${variable}=`))
      expect([name, variable, isKnown]).toEqual([name, variable, true])
    }
  }
})

test('accounts are read from the file of the seed', async () => {
  await Bun.write(path, JSON.stringify(file))
  expect(await readAccounts(path)).toEqual(file)
})

test.each(['[]', '{}', '{"organizations": []}', '{"organ'])('%s: refused as a list of accounts', async (content) => {
  await Bun.write(path, content)
  await expect(readAccounts(path)).rejects.toThrow(/does not list the demo accounts/)
})

test('a missing list of accounts: refused in one sentence', async () => {
  await expect(readAccounts(join(root, 'missing.json'))).rejects.toThrow(/does not list the demo accounts/)
})
