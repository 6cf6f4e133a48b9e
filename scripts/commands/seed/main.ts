import { createHash } from 'node:crypto'
import { connect } from '../../../services/kit/db/client.ts'
import { findOperator } from '../../../services/organization/organizations/queries.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { importDefaults } from '../operator/catalog.ts'
import { accountsOf, readAccountsFile, writeAccounts } from './accounts.ts'
import { ensureAuditEntries } from './audit-entries.ts'
import { ensureCases } from './cases.ts'
import { ensureFactories, ensureReleases } from './factories.ts'
import { ensureOrders } from './orders.ts'
import { ensureParts } from './parts.ts'
import { ensureFixtures, ensureOrganization } from './people.ts'
import { ensurePrograms } from './programs.ts'
import type { DemoDeps } from './requests.ts'
import { ensureRfqs } from './rfqs.ts'
import { ensureStaff } from './staff.ts'
import { OPERATOR, ORGANIZATIONS } from './story.ts'

/**
 * Loads the reference catalogs, and the organizations, users, parts, factories, RFQs, offers, orders and cases of the
 * demo. Repeatable.
 */
async function seed(): Promise<void> {
  const { BASE_URL, DATABASE_URL, ORGANIZATION_DATABASE_URL, ENCRYPTION_KEYS, ACCOUNTS_FILE } = process.env
  refuseProduction()
  if (!BASE_URL || !DATABASE_URL || !ORGANIZATION_DATABASE_URL || !ENCRYPTION_KEYS || !ACCOUNTS_FILE) {
    throw new Error('seed needs BASE_URL, DATABASE_URL, ORGANIZATION_DATABASE_URL, ENCRYPTION_KEYS and ACCOUNTS_FILE')
  }
  await importDefaults(DATABASE_URL)

  const sql = connect(ORGANIZATION_DATABASE_URL, { max: 2, applicationName: 'seed' })
  const secret = createHash('sha256').update(ENCRYPTION_KEYS).digest('hex')
  const deps: DemoDeps = { sql, baseUrl: BASE_URL, secret }
  try {
    const written = await readAccountsFile(ACCOUNTS_FILE)
    const [operatorOrg] = await findOperator(sql)
    // The file is written last: if it names this database's operator, all demo data exists.
    if (operatorOrg && written?.organizations.some(({ id }) => id === operatorOrg.id)) return
    const { client: operator } = await ensureOrganization(deps, undefined, OPERATOR, undefined)
    const ids = new Map<string, string>()
    const factoryIds = new Map<string, string>()
    for (const org of ORGANIZATIONS) {
      const distributorOrgId = org.distributor === undefined ? undefined : ids.get(org.distributor)
      const { orgId, client } = await ensureOrganization(deps, operator, org, distributorOrgId)
      ids.set(org.key, orgId)
      await ensureStaff(deps, client, org)
      await ensureParts(deps, org, await ensureFixtures(client, org))
      for (const [name, id] of await ensureFactories(deps, org)) factoryIds.set(name, id)
      await ensureAuditEntries(deps, org)
      console.log(`  ${org.name}`)
    }
    for (const org of ORGANIZATIONS) await ensureReleases(deps, org, ids, factoryIds)
    await ensureRfqs(deps, { orgIds: ids, factoryIds })
    await ensureOrders(deps, ids, factoryIds)
    await ensureCases(deps)
    const programs = await ensurePrograms(deps)
    await writeAccounts(ACCOUNTS_FILE, await accountsOf(sql, secret, [OPERATOR, ...ORGANIZATIONS], programs))
  } finally {
    await sql.end({ timeout: 5 })
  }
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
