import type { AccountsFile } from '../seed/accounts.ts'
import { Refusal } from '../toolchain/refusal.ts'

/** The accounts that the seed wrote. */
export async function readAccounts(path: string): Promise<AccountsFile> {
  const file: AccountsFile | undefined = await Bun.file(path)
    .json()
    .catch(() => undefined)
  if (file?.organizations?.some(({ accounts }) => accounts.length > 0)) return file
  throw new Refusal(
    `${path} does not list the demo accounts: wait until ./scripts/dev has printed them, or start it again with --reset.`,
  )
}

/** The text after a start: three accounts, a first request, and the addresses at the end. */
export function welcome(address: string, file: AccountsFile, logFile: string): string {
  const chosen = chosenFrom(file)
  return `
${accountsTable(chosen)}

./scripts/dev accounts lists all of them. Sign in and list parts:

${firstRequests(address, chosen)}

Logs: ${logFile}
Ctrl-C stops it; ./scripts/dev --reset removes its data.

The marketplace    ${address}
Its documentation  ${address}/docs
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

/** The first requests, with an account of a consumer organization. */
function firstRequests(address: string, { organizations }: AccountsFile): string {
  const buyer = organizations.find(({ roles, accounts }) => roles.includes('CONSUMER') && accounts.length > 0)
  const account = (buyer ?? organizations.find(({ accounts }) => accounts.length > 0))?.accounts[0]
  const body = JSON.stringify({ grant_type: 'password', username: account?.email, password: account?.password })
  return `TOKEN=$(curl -s ${address}/v2.3/oauth/token -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", `'\\''`)}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s '${address}/v1/parts?pageSize=3' -H "Authorization: Bearer $TOKEN"`
}
