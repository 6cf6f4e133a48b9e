import { Refusal } from '../toolchain/refusal.ts'

/** A demo account as the seed writes it. */
export interface DemoAccount {
  organization: string
  email: string
  password: string
  roles: string[]
}

/** The accounts the seed wrote. */
export async function readAccounts(path: string): Promise<DemoAccount[]> {
  const content: unknown = await Bun.file(path).json()
  const accounts = Array.isArray(content) ? content : []
  if (accounts.length > 0 && accounts.every(isAccount)) return accounts
  throw new Refusal(`${path} does not list the demo accounts: start afresh with ./scripts/dev --reset.`)
}

function isAccount(value: unknown): value is DemoAccount {
  if (typeof value !== 'object' || value === null) return false
  const { organization, email, password, roles } = value as Record<string, unknown>
  return [organization, email, password].every((text) => typeof text === 'string') && Array.isArray(roles)
}

/** What somebody who has just started the marketplace for the first time needs to know. */
export function welcome(address: string, accounts: DemoAccount[], logFile: string): string {
  const [first] = accounts
  return `
The marketplace runs on ${address}
Its documentation is at ${address}/docs

${table(accounts)}
${first ? `\nSign in and list parts:\n\n${firstRequests(address, first)}\n` : ''}
Logs: ${logFile}
Ctrl-C stops it; ./scripts/dev --reset starts afresh.
`
}

function table(accounts: DemoAccount[]): string {
  const rows = [
    ['organization', 'e-mail', 'password', 'roles'],
    ...accounts.map(({ organization, email, password, roles }) => [organization, email, password, roles.join(', ')]),
  ]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n')
}

function firstRequests(address: string, { email, password }: DemoAccount): string {
  const body = JSON.stringify({ grant_type: 'password', username: email, password })
  return `TOKEN=$(curl -s ${address}/v2.3/oauth/token -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", `'\\''`)}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s '${address}/v1/parts?pageSize=3' -H "Authorization: Bearer $TOKEN"`
}
