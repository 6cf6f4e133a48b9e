import { recordOperatorGrant } from '../../../services/identity/impersonation/commands.ts'
import type { Impersonate } from '../../../services/kit/audit/context.ts'
import type { Pool } from '../../../services/kit/db/client.ts'
import { isRefusalOf } from '../../../services/kit/errors/refusal.ts'
import { mailLinks } from '../../../services/organization/mail/links.ts'
import { bootstrapOperator } from '../../../services/organization/organizations/commands.ts'
import { restoreAdministrator as restore } from '../../../services/organization/organizations/restore.ts'
import { resetPassword as reset } from '../../../services/organization/users/commands.ts'
import { resetPasskeys as removePasskeys } from '../../../services/organization/users/passkeys.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { withDatabase } from './database.ts'
import { operatorEnvironment } from './environment.ts'

const OPERATOR_EXISTS = 'An operator organization already exists; nothing was changed.'
/** As in the API. */
const MAX_REASON = 500

interface NewOperator {
  email: string
  givenName: string
  familyName: string
  organization: string
  region: string
  ifNone?: boolean
  withoutLink?: boolean
}

/** Creates the operator's organization and its administrator, unless an operator exists. */
export async function bootstrap({
  organization,
  region,
  ifNone = false,
  withoutLink = false,
  ...administrator
}: NewOperator): Promise<void> {
  const { email } = administrator
  requireAddress(email)
  if (!/^[A-Z]{2}$/.test(region)) throw new CommandError(`${region} is not an ISO 3166-1 alpha-2 code.`)
  const { databaseUrl, publicUrl } = await operatorEnvironment()
  const linkAddress = withoutLink ? undefined : publicUrl()
  await withOrganization(databaseUrl, async (sql) => {
    const input = { name: organization, roles: [], regionCode: region, administrator }
    const created = await bootstrapOperator(sql, input, new Date().toISOString()).catch((error) => {
      if (!isRefusalOf(error, 'conflict')) throw error
      if (!ifNone) throw new CommandError(OPERATOR_EXISTS)
      return undefined
    })
    if (!created) return console.log(OPERATOR_EXISTS)
    console.log(`Created the organization ${organization} (${created.orgId}) with the administrator ${email}.`)
    if (linkAddress !== undefined) printLink(linkAddress, created.activationToken)
  })
}

/** Who runs a command on a user, and why. */
interface Operator {
  as: string
  reason: string
}

/** Restores access for a locked-out user; the old password and all sessions end. */
export async function resetPassword(email: string, operator: Operator): Promise<void> {
  const impersonate = impersonationBy(operator)
  const { databaseUrl, publicUrl } = await operatorEnvironment()
  const linkAddress = publicUrl()
  await withOrganization(databaseUrl, async (sql) => {
    const { activationToken } = await reset(sql, email, impersonate, new Date().toISOString()).catch((error) => {
      throw isRefusalOf(error, 'not_found') ? new CommandError(`No user has the address ${email}.`) : error
    })
    printLink(linkAddress, activationToken)
  })
}

/** Removes the passkeys of a user who lost them; all sessions end and the password stays. */
export async function resetPasskeys(email: string, operator: Operator): Promise<void> {
  const impersonate = impersonationBy(operator)
  const { databaseUrl } = await operatorEnvironment()
  await withOrganization(databaseUrl, async (sql) => {
    const removed = await removePasskeys(sql, mailLinks(undefined), email, impersonate, new Date().toISOString()).catch(
      (error) => {
        throw isRefusalOf(error, 'not_found') ? new CommandError(`No user has the address ${email}.`) : error
      },
    )
    console.log(`Removed ${removed} ${removed === 1 ? 'passkey' : 'passkeys'} of ${email}; all sessions have ended.`)
  })
}

/** Makes a user Administrator of an organization that has no administrator. */
export async function restoreAdministrator(email: string, operator: Operator): Promise<void> {
  const impersonate = impersonationBy(operator)
  const { databaseUrl } = await operatorEnvironment()
  await withOrganization(databaseUrl, async (sql) => {
    const { orgId } = await restore(sql, email, impersonate, new Date().toISOString()).catch((error) => {
      if (isRefusalOf(error, 'not_found')) throw new CommandError(`No user has the address ${email}.`)
      if (isRefusalOf(error, 'illegal_transition'))
        throw new CommandError(`${email} is deactivated; nothing was changed.`)
      if (isRefusalOf(error, 'conflict'))
        throw new CommandError(`${email} is already Administrator; nothing was changed.`)
      throw error
    })
    console.log(`${email} is now Administrator of ${orgId}; the change is in the audit log of the organization.`)
  })
}

function impersonationBy({ as, reason }: Operator): Impersonate {
  requireAddress(as)
  if (reason.trim() === '' || reason.length > MAX_REASON) {
    throw new CommandError(`--reason must have 1 to ${MAX_REASON} characters.`)
  }
  return (tx, user, now) => recordOperatorGrant(tx, { ...user, actingEmail: as, reason }, now)
}

function requireAddress(text: string): void {
  if (!/^[^@\s]+@[^@\s]+$/.test(text)) throw new CommandError(`${text} is not an e-mail address.`)
}

const printLink = (publicUrl: string, token: string) =>
  console.log(`Send this link to the user; it works once, within 72 hours:\n${publicUrl}/activate#${token}`)

const withOrganization = (databaseUrl: string, work: (sql: Pool) => Promise<void>) =>
  withDatabase({ databaseUrl, searchPath: 'organization' }, work)
