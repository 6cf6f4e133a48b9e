import type { AccountsFile } from '../demo/accounts.ts'
import { Refusal } from '../toolchain/refusal.ts'

/** The accounts that the seed wrote. */
export async function readAccounts(path: string): Promise<AccountsFile> {
  const file: AccountsFile | undefined = await Bun.file(path)
    .json()
    .catch(() => undefined)
  if (file?.organizations?.some(({ accounts }) => accounts.length > 0)) return file
  throw new Refusal(`${path} does not list the demo accounts: start again with ./scripts/dev --reset.`)
}

/** The text after a start: addresses, accounts and a first request. */
export function welcome(address: string, file: AccountsFile, logFile: string): string {
  return `
The marketplace runs on ${address}
Its documentation is at ${address}/docs

${table(file)}

Sign in and list parts:

${firstRequests(address, file)}

Logs: ${logFile}
Ctrl-C stops it; ./scripts/dev --reset removes its data.
`
}

function table({ organizations }: AccountsFile): string {
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
