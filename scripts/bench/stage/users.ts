import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PERMISSIONS } from '../../../proto/permissions.ts'
import type { Caller } from '../../../services/kit/auth/caller.ts'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { findRoleByName } from '../../../services/organization/roles/queries.ts'
import { createUser, resetPassword } from '../../../services/organization/users/commands.ts'
import { findUserByEmail } from '../../../services/organization/users/queries.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { loadColleagues, loadedOrganization, loadUsers } from '../../../services/testing/load/people.ts'
import { demoPassword } from '../../demo/people.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Database } from './database.ts'
import type { Account } from './people.ts'

export const USER_ORGANIZATIONS = 10_000
/** A tenth of all users are in the largest organization, some ninety in each of the others. */
export const LARGEST_SHARE = 10
const COLLEAGUES = 100
const EMAIL = 'bench@largest.example.com'

/** Users of many organizations, loaded once into the database that is kept, and colleagues for the bench's own one. */
export async function ensureUsers(
  { ownerUrl, folder }: Database,
  { orgId, users, progress }: { orgId: string; users: number; progress: (line: string) => void },
): Promise<void> {
  const loaded = Bun.file(join(folder, `users-${users}`))
  if (await loaded.exists()) return
  const owner = connect(ownerUrl, { max: 1, applicationName: 'bench-load' })
  try {
    progress(`Loading ${users.toLocaleString('en-US')} users`)
    await removeHalf(owner)
    await loadColleagues(owner, { orgId, count: COLLEAGUES })
    await loadUsers(owner, { count: users, organizations: USER_ORGANIZATIONS, largest: users / LARGEST_SHARE })
    await owner`checkpoint`
    await writeFile(loaded.name ?? '', '')
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** What a run that was interrupted has loaded. */
async function removeHalf(owner: Pool): Promise<void> {
  await owner`delete from organization.user_roles where org_id like 'org_L%'`
  await owner`delete from organization.activations where user_id in (select id from organization.users where org_id like 'org_L%')`
  await owner`delete from organization.users where org_id like 'org_L%'`
  await owner`delete from organization.roles where org_id like 'org_L%'`
  await owner`delete from organization.organizations where id like 'org_L%'`
}

/** An administrator of the largest organization who can sign in, made by the product's own commands. */
export async function ensureLargestAccount({ ownerUrl, secrets }: Database, identityUrl: string): Promise<Account> {
  const sql = connect(serviceUrl(ownerUrl, 'organization', secrets), { max: 1, applicationName: 'bench-people' })
  try {
    const now = new Date().toISOString()
    if ((await findUserByEmail(sql, EMAIL)).length === 0) {
      const caller = commanderOf(loadedOrganization(0))
      const [role] = await findRoleByName(sql, caller.orgId, 'Administrator')
      const person = { email: EMAIL, givenName: 'Ada', familyName: 'Bench', roleIds: role ? [role.id] : [] }
      await createUser(sql, caller, NO_TRAIL, person, now)
    }
    const password = demoPassword(secrets.encryptionKeys, EMAIL)
    const { activationToken } = await resetPassword(sql, EMAIL, now)
    await new ApiClient(identityUrl).activate(activationToken, password)
    return { email: EMAIL, password }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

const commanderOf = (orgId: string): Caller => ({
  orgId,
  userId: 'bench',
  sessionId: 'bench',
  permissions: new Set(PERMISSIONS),
  orgRoles: new Set(),
  operator: false,
})

/** Nobody is named, so that nothing is written to the log. */
const NO_TRAIL = {
  procedure: undefined,
  orgId: undefined,
  actorId: undefined,
  grantId: undefined,
  ipAddress: undefined,
  userAgent: undefined,
  request: undefined,
}
