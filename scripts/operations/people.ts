import { parseArgs } from 'node:util'
import { connect, type Pool } from '../../services/kit/db/client.ts'
import { isRefusalOf } from '../../services/kit/errors/refusal.ts'
import { bootstrapOperator } from '../../services/organization/organizations/commands.ts'
import { restoreAdministrator as restore } from '../../services/organization/role-assignments/restore.ts'
import { resetPassword as reset } from '../../services/organization/users/commands.ts'
import { Refusal } from '../toolchain/refusal.ts'
import { operatorEnvironment } from './environment.ts'

export const BOOTSTRAP_USAGE =
  'bootstrap --email <address> --given-name <name> --family-name <name> --organization <name> --region <code>'

/** Creates the operator's organization and its administrator, unless an operator exists. */
export async function bootstrap(args: string[]): Promise<void> {
  const option = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: { email: option, 'given-name': option, 'family-name': option, organization: option, region: option },
  })
  const { email, organization } = values
  const [givenName, familyName, regionCode] = [values['given-name'], values['family-name'], values.region]
  if (!email || !givenName || !familyName || !organization || !regionCode) throw new Refusal(BOOTSTRAP_USAGE)
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw new Refusal(`${email} is not an e-mail address.`)
  if (!/^[A-Z]{2}$/.test(regionCode)) throw new Refusal(`${regionCode} is not an ISO 3166-1 alpha-2 code.`)
  const administrator = { email, givenName, familyName }
  await withOrganization(async (sql, publicUrl) => {
    const input = { name: organization, roles: [], regionCode, administrator }
    const created = await bootstrapOperator(sql, input, new Date().toISOString()).catch((error) => {
      throw isRefusalOf(error, 'conflict')
        ? new Refusal('An operator organization already exists; nothing was changed.')
        : error
    })
    console.log(`Created the organization ${organization} (${created.orgId}) with the administrator ${email}.`)
    printLink(publicUrl, created.activationToken)
  })
}

export const RESET_USAGE = 'reset-password <e-mail address>'

/** Restores access for a locked-out user; the old password and all sessions end. */
export async function resetPassword([email]: string[]): Promise<void> {
  if (!email) throw new Refusal(RESET_USAGE)
  await withOrganization(async (sql, publicUrl) => {
    const { activationToken } = await reset(sql, email, new Date().toISOString()).catch((error) => {
      throw isRefusalOf(error, 'not_found') ? new Refusal(`No user has the address ${email}.`) : error
    })
    printLink(publicUrl, activationToken)
  })
}

export const RESTORE_USAGE = 'restore-administrator <e-mail address>'

/** Makes a user Administrator of an organization that has no administrator. */
export async function restoreAdministrator([email]: string[]): Promise<void> {
  if (!email) throw new Refusal(RESTORE_USAGE)
  await withOrganization(async (sql) => {
    const { orgId } = await restore(sql, email, new Date().toISOString()).catch((error) => {
      if (isRefusalOf(error, 'not_found')) throw new Refusal(`No user has the address ${email}.`)
      if (isRefusalOf(error, 'illegal_transition')) throw new Refusal(`${email} is deactivated; nothing was changed.`)
      if (isRefusalOf(error, 'conflict')) throw new Refusal(`${email} is already Administrator; nothing was changed.`)
      throw error
    })
    console.log(`${email} is now Administrator of ${orgId}; the change is in the audit log of the organization.`)
  })
}

const printLink = (publicUrl: string, token: string) =>
  console.log(`Send this link to the user; it works once, within 72 hours:\n${publicUrl}/activate#${token}`)

async function withOrganization(work: (sql: Pool, publicUrl: string) => Promise<void>): Promise<void> {
  const { databaseUrl, publicUrl } = await operatorEnvironment()
  const sql = connect(databaseUrl, { max: 1, applicationName: 'operator', searchPath: 'organization' })
  try {
    await work(sql, publicUrl)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
