import { CommandError } from '../../toolchain/command-error.ts'
import type { AccountsFile } from '../seed/accounts.ts'
import { emailOf, ORGANIZATIONS } from '../seed/story.ts'

/** The accounts that the seed wrote. */
export async function readAccounts(path: string): Promise<AccountsFile> {
  const file: AccountsFile | undefined = await Bun.file(path)
    .json()
    .catch(() => undefined)
  if (file?.organizations?.some(({ accounts }) => accounts.length > 0)) return file
  throw new CommandError(
    `${path} does not list the demo accounts: wait until ./scripts/dev has printed them, or start it again with --reset.`,
  )
}

interface Addresses {
  address: string
  /** The page of the mails, where no server sends them. */
  mailbox: string | undefined
}

/** The text after a start: three accounts, the addresses, and first requests at the end. */
export function welcome({ address, mailbox }: Addresses, file: AccountsFile, logFile: string): string {
  const chosen = chosenFrom(file)
  return `
${accountsTable(chosen)}

./scripts/dev accounts lists all of them, and ./scripts/demo plays a trade between them.

Logs: ${logFile}
Ctrl-C stops it; ./scripts/dev --reset removes its data.

The marketplace    ${address}
Its console        ${address}/console
Its documentation  ${address}/docs${mailbox ? `\nIts mails          ${mailbox}` : ''}

Paste into another terminal to sign in and list parts:

${firstRequests(address, chosen)}
`
}

/** The accounts as a table. */
export function accountsTable({ organizations }: AccountsFile): string {
  const rows = [
    ['organization', 'e-mail', 'password', 'account', 'roles of the organization'],
    ...organizations.flatMap(({ name, roles, accounts }) =>
      accounts.map((account) => [name, account.email, account.password, kindOf(account), roles.join(', ')]),
    ),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

/** An administrator and a member of an IP owner, and a member of a consumer, as far as they exist. */
function chosenFrom({ organizations }: AccountsFile): AccountsFile {
  const wanted = [
    { role: 'IP_OWNER', kinds: ['administrator', 'member'] },
    { role: 'CONSUMER', kinds: ['member'] },
  ]
  const taken = new Set<string>()
  return {
    organizations: wanted.flatMap(({ role, kinds }) => {
      const free = organizations.filter(({ id, accounts }) => accounts.length > 0 && !taken.has(id))
      const single = free.find(({ roles }) => roles.join() === role)
      const org = single ?? free.find(({ roles }) => roles.includes(role))
      if (!org) return []
      taken.add(org.id)
      return [{ ...org, accounts: org.accounts.filter((account) => kinds.includes(kindOf(account))) }]
    }),
  }
}

type Account = AccountsFile['organizations'][number]['accounts'][number]

function kindOf({ administrator, permissions }: Account): string {
  if (administrator) return 'administrator'
  return permissions.length > 0 ? 'member' : 'viewer'
}

/** The variables of the README, with an account of an IP owner, and first requests with them. */
function firstRequests(address: string, { organizations }: AccountsFile): string {
  const accounts = organizations.flatMap((organization) => organization.accounts)
  const account = accounts.find((one) => kindOf(one) === 'member') ?? accounts[0]
  return `${exported({ BASE: address, EMAIL: account?.email ?? '', PASSWORD: account?.password ?? '' })}
TOKEN=$(curl -sS $BASE/v2.3/oauth/token -d grant_type=password --data-urlencode username="$EMAIL" \\
  --data-urlencode password="$PASSWORD" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS "$BASE/v1/parts?pageSize=3" -H "Authorization: Bearer $TOKEN"`
}

/**
 * The variables of the guides with their values: the address, and the accounts of the story by the prefix that they
 * have there, and the program that the clients and the command line sign in with.
 */
export function guideVariables(address: string, { organizations }: AccountsFile): string {
  const accounts = organizations.flatMap((organization) => organization.accounts)
  const variables = GUIDE_ACCOUNTS.flatMap(([prefix, key, person]) => {
    const organization = ORGANIZATIONS.find((one) => one.key === key)
    const email = organization && emailOf(organization.people[person], organization)
    const account = accounts.find((one) => one.email === email)
    return account ? [{ [`${prefix}EMAIL`]: account.email, [`${prefix}PASSWORD`]: account.password }] : []
  })
  const programs = organizations.flatMap(({ program }) =>
    program
      ? [
          {
            MARKETPLACE_URL: address,
            MARKETPLACE_CLIENT_ID: program.clientId,
            MARKETPLACE_CLIENT_SECRET: program.clientSecret,
          },
        ]
      : [],
  )
  return [{ BASE: address }, ...variables, ...programs].map(exported).join('\n')
}

const GUIDE_ACCOUNTS = [
  ['', 'skagen-pumps', 'member'],
  ['ADMIN_', 'skagen-pumps', 'administrator'],
  ['BUYER_', 'nordhavn', 'member'],
  ['VESTLAND_', 'vestland-additive', 'member'],
  ['RUHR_', 'ruhr-praezision', 'member'],
] as const

/** A line that sets variables in a shell. */
const exported = (variables: Readonly<Record<string, string>>) =>
  `export ${Object.entries(variables)
    .map(([name, value]) => `${name}=${quoted(value)}`)
    .join(' ')}`

const quoted = (text: string) => (/^[\w@.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
