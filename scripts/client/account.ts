import type { AccountsFile } from '../seed/accounts.ts'
import { Refusal } from '../toolchain/refusal.ts'

export interface Account {
  url: string
  email: string
  password: string
}

const DEFAULT_URL = 'http://localhost:8080'

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
 * `./scripts/dev`.
 */
export async function accountOf(
  given: Given,
  { BASE, EMAIL, PASSWORD }: Environment,
  { readAccounts, readAddress }: LocalMarketplace,
): Promise<Account> {
  const url = (given.url ?? BASE ?? (await readAddress()) ?? DEFAULT_URL).replace(/\/+$/, '')
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Refusal(`${url} is not the address of a marketplace.`)
  const email = given.email ?? EMAIL
  if (email !== undefined && PASSWORD !== undefined) return { url, email, password: PASSWORD }
  if (PASSWORD !== undefined) throw new Refusal('PASSWORD needs the e-mail address of its account: send --email.')
  const { organizations } = await readAccounts()
  const account = organizations
    .flatMap(({ accounts }) => accounts)
    .find((known) => (email === undefined ? known.permissions.includes('platform:operate') : known.email === email))
  if (!account) {
    throw new Refusal(
      email === undefined
        ? 'The demo accounts have no operator: start again with ./scripts/dev --reset.'
        : `The demo accounts do not have ${email}: send its password in the variable PASSWORD.`,
    )
  }
  return { url, email: account.email, password: account.password }
}
