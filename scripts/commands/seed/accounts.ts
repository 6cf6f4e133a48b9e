import { rename, writeFile } from 'node:fs/promises'
import type { Permission } from '../../../proto/permissions.ts'
import { isApplicable } from '../../../proto/permissions.ts'
import { findCaller } from '../../../services/kit/auth/queries.ts'
import type { Pool } from '../../../services/kit/db/client.ts'
import { findUserByEmail } from '../../../services/organization/users/queries.ts'
import { demoPassword } from './requests.ts'
import { type DemoOrganization, emailOf } from './story.ts'

export interface AccountsFile {
  organizations: {
    id: string
    name: string
    roles: string[]
    engagement: 'DIRECT' | 'DISTRIBUTOR'
    accounts: DemoAccount[]
    /** The key of a service account. */
    program?: ProgramKey
  }[]
}

export interface ProgramKey {
  clientId: string
  clientSecret: string
}

export interface DemoAccount {
  email: string
  password: string
  administrator: boolean
  /** The effective permissions of the account. */
  permissions: Permission[]
}

/** All demo accounts with their permissions, for the welcome text and for scripts. */
export async function accountsOf(
  sql: Pool,
  secret: string,
  organizations: readonly DemoOrganization[],
  programs: ReadonlyMap<string, ProgramKey>,
): Promise<AccountsFile> {
  const file: AccountsFile = { organizations: [] }
  for (const org of organizations) {
    const accounts: DemoAccount[] = []
    let id = ''
    for (const person of [org.people.administrator, org.people.member, org.people.guest]) {
      const email = emailOf(person, org)
      const [user] = await findUserByEmail(sql, email)
      const [caller] = user ? await findCaller(sql, user.id) : []
      if (!caller) throw new Error(`The demo account ${email} is missing.`)
      id = caller.org_id
      const standing = { roles: caller.org_roles, operator: caller.operator }
      const permissions = caller.permissions.filter((permission) => isApplicable(permission, standing)).sort()
      accounts.push({
        email,
        password: demoPassword(secret, email),
        administrator: permissions.includes('org:admin'),
        permissions,
      })
    }
    const { key, name, roles, distributor } = org
    const program = programs.get(key)
    const engagement = distributor ? 'DISTRIBUTOR' : 'DIRECT'
    file.organizations.push({ id, name, roles, engagement, accounts, ...(program ? { program } : {}) })
  }
  return file
}

/** Written to a new file and renamed; readable only by its owner. */
export async function writeAccounts(path: string, file: AccountsFile): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** The accounts of an earlier start; undefined without a readable file. */
export async function readAccountsFile(path: string): Promise<AccountsFile | undefined> {
  const file = Bun.file(path)
  if (!(await file.exists())) return undefined
  return file.json().catch(() => undefined)
}
