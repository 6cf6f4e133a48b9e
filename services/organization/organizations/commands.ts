import { type OrgRole, SYSTEM_ROLES } from '../../../proto/permissions.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Trail } from '../../kit/audit/trail.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { isUniqueViolation } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import { invalidField, refuse } from '../../kit/http/refusal.ts'
import { emit } from '../../kit/outbox/emit.ts'
import { insertRole } from '../roles/queries.ts'
import { systemRolesOf } from '../roles/rules.ts'
import { addUser, type NewUser } from '../users/commands.ts'
import { grantRoleTo } from '../users/queries.ts'
import { findDistributor, findOperator, insertOrganization } from './queries.ts'

export interface NewOrganization {
  name: string
  roles: OrgRole[]
  regionCode: string
  website?: string
  /** Present for an organization that is engaged through a distributor. */
  distributorOrgId?: string
  /** The first administrator, who invites everybody else. */
  administrator: NewUser
}

export interface CreatedOrganization {
  orgId: string
  administratorId: string
  activationToken: string
}

/** The platform operator brings in an organization: its system roles and its first administrator come with it. */
export function createOrganization(sql: Pool, trail: Trail, input: NewOrganization, now: string) {
  return sql.begin(async (tx) => {
    if (input.distributorOrgId && (await findDistributor(tx, input.distributorOrgId)).length === 0) {
      throw invalidField('distributorOrgId', 'names no distributor')
    }
    const created = await addOrganization(tx, input, { operator: false, now })
    await recordSuccess(tx, trail)
    return created
  })
}

/** The operator's own organization with its first administrator, once: there is nobody yet who could ask for it. */
export function bootstrapOperator(sql: Pool, input: NewOrganization, now: string) {
  return sql
    .begin(async (tx) => {
      if ((await findOperator(tx)).length > 0) throw refuse('conflict', { detail: 'There is an operator already.' })
      return addOrganization(tx, input, { operator: true, now })
    })
    .catch((error) => {
      if (!isUniqueViolation(error, 'organizations_operator')) throw error
      throw refuse('conflict', { detail: 'There is an operator already.' })
    })
}

async function addOrganization(
  tx: Tx,
  { name, roles, regionCode, website, distributorOrgId, administrator }: NewOrganization,
  { operator, now }: { operator: boolean; now: string },
): Promise<CreatedOrganization> {
  const orgId = newId('org')
  const standing = { roles, operator }
  await insertOrganization(
    tx,
    {
      id: orgId,
      name,
      roles,
      regionCode,
      website: website ?? null,
      engagement: distributorOrgId ? 'DISTRIBUTOR' : 'DIRECT',
      distributorOrgId: distributorOrgId ?? null,
      operator,
    },
    now,
  )
  const roleIds = new Map<string, string>()
  for (const role of systemRolesOf(standing, SYSTEM_ROLES)) {
    const id = newId('role')
    await insertRole(tx, { id, orgId, ...role, system: true }, now)
    roleIds.set(role.name, id)
  }
  const { userId, activationToken } = await addUser(tx, orgId, administrator, now)
  await grantRoleTo(tx, { orgId, userId, roleId: roleIds.get('Administrator') as string })
  await emit(tx, { type: 'organization.org.changed', tenantId: orgId, subject: orgId, data: { orgId } })
  return { orgId, administratorId: userId, activationToken }
}
