import { createHash } from 'node:crypto'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { bootstrapOperator } from '../../../services/organization/organizations/commands.ts'
import { findOperator } from '../../../services/organization/organizations/queries.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { importDefaults } from '../operator/catalog.ts'
import { accountsOf, readAccountsFile, writeAccounts } from './accounts.ts'
import { causeAuditEntries } from './audit-entries.ts'
import { activate, createCompanies, type Demo, signedIn, staff } from './companies.ts'
import { playPackages } from './packages.ts'
import { createPartsAndFactories } from './parts.ts'
import { emailOf, OPERATOR, ORGANIZATIONS, personOf, websiteOf } from './story.ts'
import { playTrade } from './trade.ts'

/**
 * Loads the reference catalogs, and plays the story of the demo through the API: organizations with their people,
 * parts, factories, RFQs, packages, offers, orders and cases. A second run changes nothing.
 */
async function seed(): Promise<void> {
  const { BASE_URL, DATABASE_URL, ORGANIZATION_DATABASE_URL, ENCRYPTION_KEYS, ACCOUNTS_FILE } = process.env
  refuseProduction()
  if (!BASE_URL || !DATABASE_URL || !ORGANIZATION_DATABASE_URL || !ENCRYPTION_KEYS || !ACCOUNTS_FILE) {
    throw new Error('seed needs BASE_URL, DATABASE_URL, ORGANIZATION_DATABASE_URL, ENCRYPTION_KEYS and ACCOUNTS_FILE')
  }
  await importDefaults(DATABASE_URL)

  const sql = connect(ORGANIZATION_DATABASE_URL, { max: 2, applicationName: 'seed' })
  try {
    if (await isLoaded(sql, ACCOUNTS_FILE)) return
    const secret = createHash('sha256').update(ENCRYPTION_KEYS).digest('hex')
    const demo: Demo = { url: BASE_URL, secret, companies: new Map() }
    await createOperator(demo, sql)
    await createCompanies(demo, signedIn(demo, emailOf(OPERATOR.people.administrator, OPERATOR)))
    await createPartsAndFactories(demo)
    for (const org of ORGANIZATIONS) await causeAuditEntries(demo, org)
    await playTrade(demo)
    await playPackages(demo)
    await writeAccounts(ACCOUNTS_FILE, await accountsOf(demo, [OPERATOR, ...ORGANIZATIONS]))
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The file of accounts is written last: if it names this database's operator, all demo data exists. */
async function isLoaded(sql: Pool, accountsFile: string): Promise<boolean> {
  const [operator] = await findOperator(sql)
  if (!operator) return false
  const written = await readAccountsFile(accountsFile)
  if (written?.organizations.some(({ id }) => id === operator.id)) return true
  throw new Error(
    `The demo data is incomplete, or ${accountsFile} is missing: start again with ./scripts/dev --reset, or with an empty database.`,
  )
}

/** The operator has no organization above it, so it is created as the operator's command line does. */
async function createOperator(demo: Demo, sql: Pool): Promise<void> {
  const { name, roles, regionCode, people } = OPERATOR
  const email = emailOf(people.administrator, OPERATOR)
  const administrator = { ...personOf(people.administrator), email }
  const input = { name, roles, regionCode, website: websiteOf(OPERATOR), administrator }
  const { orgId, activationToken } = await bootstrapOperator(sql, input, new Date().toISOString())
  await activate(demo, email, activationToken)
  demo.companies.set(OPERATOR.key, await staff(demo, OPERATOR, orgId))
}

/** Demo accounts have known names and derived passwords, so other machines must not reach them. */
function refuseProduction(): void {
  const { NODE_ENV, PUBLIC_URL } = process.env
  const isLoopback = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(PUBLIC_URL ?? '')
  if (NODE_ENV === 'production' || !isLoopback) {
    throw new Error(
      'Demo data is for development: NODE_ENV must not be production, and PUBLIC_URL must be a loopback address.',
    )
  }
}

await runCommandLine(
  commandLine('bun scripts/commands/seed/main.ts', 'Loads the demo data; ./scripts/dev runs it.').action(() =>
    seed().catch((error) => {
      throw error instanceof Error ? new CommandError(error.message) : error
    }),
  ),
)
