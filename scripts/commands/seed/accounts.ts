import { rename, writeFile } from 'node:fs/promises'
import type { Permission } from '../../../proto/clients/typescript/src/index.ts'
import { companyOf, type Demo, demoPassword, type ProgramKey, signedIn } from './companies.ts'
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

export interface DemoAccount {
  email: string
  password: string
  administrator: boolean
  /** The permissions in effect. */
  permissions: Permission[]
}

/** All demo accounts with their permissions, for the welcome text and for scripts. */
export async function accountsOf(demo: Demo, organizations: readonly DemoOrganization[]): Promise<AccountsFile> {
  const file: AccountsFile = { organizations: [] }
  for (const org of organizations) {
    const { key, name, roles, distributor, people } = org
    const accounts: DemoAccount[] = []
    for (const person of [people.administrator, people.member, people.guest]) {
      const email = emailOf(person, org)
      const { permissions } = (await signedIn(demo, email).GET('/flows/v1/me')).data
      const administrator = permissions.includes('org:admin')
      accounts.push({ email, password: demoPassword(demo.secret, email), administrator, permissions })
    }
    const { orgId: id, program } = companyOf(demo, key)
    const engagement = distributor ? 'DISTRIBUTOR' : 'DIRECT'
    file.organizations.push({ id, name, roles, engagement, accounts, ...(program && { program }) })
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
