import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readAccounts, welcome } from './welcome.ts'

const root = await mkdtemp(join(tmpdir(), 'welcome-'))
afterAll(() => rm(root, { recursive: true }))
const file = join(root, 'accounts.json')

const anna = {
  organization: 'Örtel AG',
  email: 'anna@oertel.example',
  password: "it's secret",
  roles: ['Buyer', 'IP owner'],
}

test('the accounts stand in a table, each column as wide as its widest cell', () => {
  const ben = { organization: 'B', email: 'b@b.example', password: 'x', roles: [] }
  const lines = welcome('http://localhost:8080', [anna, ben], '/log').split('\n')
  expect(lines).toContain('  organization  e-mail               password     roles')
  expect(lines).toContain("  Örtel AG      anna@oertel.example  it's secret  Buyer, IP owner")
  expect(lines).toContain('  B             b@b.example          x')
})

test('the first requests work as they are copied, whatever the password', async () => {
  const text = welcome('http://localhost:8080', [anna], '/log')
  const commands = text.slice(text.indexOf('TOKEN='), text.indexOf('\n\nLogs'))
  // Stands for curl, which a machine may lack: shows its arguments and answers as the token endpoint does.
  const curl = `curl() { printf '%s\\n' "$@" >&2; echo '{"token_type":"Bearer","access_token":"a.b-c","expires_in":900}'; }`
  const shell = Bun.spawn(['sh', '-ec', `${curl}\n${commands}`], { stdout: 'ignore', stderr: 'pipe' })
  const asked = (await shell.stderr.text()).split('\n')
  expect(await shell.exited).toBe(0)
  expect(asked).toContain('http://localhost:8080/v2.3/oauth/token')
  expect(asked).toContain(JSON.stringify({ grant_type: 'password', username: anna.email, password: anna.password }))
  expect(asked).toContain('http://localhost:8080/v1/parts?pageSize=3')
  expect(asked).toContain('Authorization: Bearer a.b-c')
})

test('accounts are read as the seed writes them', async () => {
  await Bun.write(file, JSON.stringify([anna]))
  expect(await readAccounts(file)).toEqual([anna])
})

test.each(['[]', '{}', '[{"email": "a"}]'])('%s is no list of accounts', async (content) => {
  await Bun.write(file, content)
  await expect(readAccounts(file)).rejects.toThrow(/does not list the demo accounts/)
})
