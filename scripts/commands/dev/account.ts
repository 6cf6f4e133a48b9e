import { join } from 'node:path'
import { CommandError } from '../../toolchain/command-error.ts'
import { ACCOUNTS_FILE, findState } from '../../toolchain/state.ts'
import type { AccountsFile } from '../seed/accounts.ts'
import { readAccounts } from './welcome.ts'

export interface Account {
  url: string
  email: string
  password: string
}

export const DEFAULT_URL = 'http://localhost:8080'

interface Given {
  url?: string
  email?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The demo accounts and the address of the marketplace that `./scripts/dev` started. */
export interface LocalMarketplace {
  readAccounts: () => Promise<AccountsFile>
  readAddress: () => Promise<string | undefined>
}

/**
 * The marketplace and an account, by default that of its operator: arguments before variables before the marketplace of
 * `./scripts/dev`. A demo account has its own password although PASSWORD is set for another EMAIL.
 */
export async function accountOf(
  given: Given,
  { BASE, EMAIL, PASSWORD }: Environment,
  { readAccounts, readAddress }: LocalMarketplace,
): Promise<Account> {
  const url = (given.url ?? BASE ?? (await readAddress()) ?? DEFAULT_URL).replace(/\/+$/, '')
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new CommandError(`${url} is not the address of a marketplace.`)
  const email = given.email ?? EMAIL
  if (email !== undefined && PASSWORD !== undefined) {
    const isOfAnother = EMAIL !== undefined && email !== EMAIL
    const known = isOfAnother ? accountIn(await readAccounts().catch(() => undefined), email) : undefined
    return { url, email, password: known?.password ?? PASSWORD }
  }
  if (PASSWORD !== undefined) throw new CommandError('PASSWORD needs the e-mail address of its account: send --email.')
  const account = accountIn(await readAccounts(), email)
  if (!account) {
    throw new CommandError(
      email === undefined
        ? 'The demo accounts have no operator: start again with ./scripts/dev --reset.'
        : `The demo accounts do not have ${email}: send its password in the variable PASSWORD.`,
    )
  }
  return { url, email: account.email, password: account.password }
}

/** The demo account of an address, or that of the operator. */
const accountIn = (file: AccountsFile | undefined, email: string | undefined) =>
  file?.organizations
    .flatMap(({ accounts }) => accounts)
    .find((known) => (email === undefined ? known.permissions.includes('platform:operate') : known.email === email))

/** The address of the marketplace that `./scripts/dev` started last in this checkout. */
export async function localAddress(): Promise<string | undefined> {
  const { folder } = await findState()
  const launcher = Bun.file(join(folder, 'launcher.json'))
  return (await launcher.exists()) ? (await launcher.json()).address : undefined
}

export const localMarketplace: LocalMarketplace = {
  readAccounts: () => readAccounts(ACCOUNTS_FILE),
  readAddress: localAddress,
}
