import { expect, test } from 'bun:test'
import type { AccountsFile } from '../seed/accounts.ts'
import { accountOf } from './account.ts'

const account = (
  email: string,
  permissions: AccountsFile['organizations'][number]['accounts'][number]['permissions'],
) => ({
  email,
  password: `password of ${email}`,
  administrator: true,
  permissions,
})
const file: AccountsFile = {
  organizations: [
    {
      id: 'org_1',
      name: 'Operator',
      roles: [],
      engagement: 'DIRECT',
      accounts: [account('viewer@x', []), account('operator@x', ['org:admin', 'platform:operate'])],
    },
  ],
}
const readAddress = async () => undefined
const demo = { readAccounts: async () => file, readAddress }
const none = { readAccounts: () => Promise.reject(new Error('the demo accounts were read')), readAddress }

test('without arguments: the local marketplace with the operator of the demo accounts', async () => {
  expect(await accountOf({}, {}, demo)).toEqual({
    url: 'http://localhost:8080',
    email: 'operator@x',
    password: 'password of operator@x',
  })
})

test('without an address: that of the marketplace that ./scripts/dev started', async () => {
  const local = { ...demo, readAddress: async () => 'http://localhost:9000' }
  expect((await accountOf({}, {}, local)).url).toBe('http://localhost:9000')
  expect((await accountOf({}, { BASE: 'http://a:1' }, local)).url).toBe('http://a:1')
})

test('arguments come before variables; with a password no demo account is read', async () => {
  const variables = { BASE: 'http://a:1', EMAIL: 'a@x', PASSWORD: 'secret' }
  expect(await accountOf({}, variables, none)).toEqual({ url: 'http://a:1', email: 'a@x', password: 'secret' })
  expect(await accountOf({ url: 'https://b/', email: 'b@x' }, variables, none)).toEqual({
    url: 'https://b',
    email: 'b@x',
    password: 'secret',
  })
})

test('the password of EMAIL is not that of another account', async () => {
  const variables = { EMAIL: 'viewer@x', PASSWORD: 'secret' }
  expect((await accountOf({ email: 'operator@x' }, variables, demo)).password).toBe('password of operator@x')
  expect((await accountOf({ email: 'viewer@x' }, variables, none)).password).toBe('secret')
  expect((await accountOf({}, variables, none)).password).toBe('secret')
})

test('an account of the demo by its address; an unknown one, a lone password and a bad address are refused', async () => {
  expect((await accountOf({ email: 'viewer@x' }, {}, demo)).password).toBe('password of viewer@x')
  await expect(accountOf({ email: 'c@x' }, {}, demo)).rejects.toThrow(/do not have c@x/)
  await expect(accountOf({}, { PASSWORD: 'secret' }, demo)).rejects.toThrow(/send --email/)
  await expect(accountOf({ url: 'localhost' }, {}, demo)).rejects.toThrow(/is not the address/)
  await expect(accountOf({}, {}, { ...demo, readAccounts: async () => ({ organizations: [] }) })).rejects.toThrow(
    /have no operator/,
  )
})
