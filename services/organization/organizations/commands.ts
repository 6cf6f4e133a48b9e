import type * as api from '../../../proto/http/organization/orgs.ts'
import type { CreatedOrg, Org } from '../../../proto/http/organization/orgs.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { OrgRole } from '../../../proto/permissions.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { refuseTaken } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, invalid, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { emitOrganizationChanged } from '../authority/events.ts'
import { grantRoleTo, insertRole } from '../roles/queries.ts'
import { systemRolesOf } from '../roles/rules.ts'
import { addUser, deliverLink, type LinkDeps, type NewUser } from '../users/commands.ts'
import {
  findDistributor,
  findEngagedOrganization,
  findOperator,
  findOrganizations,
  insertOrganization,
  lockOrganizationForUpdate,
  updateOrganization,
} from './queries.ts'
import { changedTerms, termsOf, termsProblem } from './rules.ts'
import { reconcileRoles } from './system-roles.ts'

interface NewOrganization {
  name: string
  roles: OrgRole[]
  regionCode: string
  website?: string
  /** Set if the organization is engaged through a distributor. */
  distributorOrgId?: string
  /** The first administrator. */
  administrator: NewUser
}

export interface CreatedOrganization {
  orgId: string
  administratorId: string
  activationToken: string
}

/**
 * Creates an organization with its system roles and its first administrator, and returns or mails the activation link.
 */
export async function createOrg(
  deps: LinkDeps,
  { tx, caller, body, now, audit }: CommandOf<typeof api.createOrg>,
): Promise<CreatedOrg> {
  const terms = termsOf(body)
  if (terms.distributorOrgId !== null) await requireDistributor(tx, terms.distributorOrgId)
  const organization = { ...body, roles: [...new Set(body.roles)] }
  const { orgId, administratorId, activationToken } = await addOrganization(tx, organization, { operator: false, now })
  audit.add({ orgId })
  const org = await visibleOrg(tx, caller, orgId)
  const link = { kind: 'INVITATION', orgId, userId: administratorId, token: activationToken } as const
  return { ...org, administratorId, ...(await deliverLink(tx, deps, link, body.mail, now)) }
}

async function requireDistributor(tx: Tx, orgId: string): Promise<void> {
  if ((await findDistributor(tx, orgId)).length === 0)
    throw invalidField('distributorOrgId', noSuch('distributor', orgId))
}

/** Changes an organization. A change of its marketplace roles also changes system roles and permissions. */
export async function patchOrg({
  tx,
  caller,
  params: { id },
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchOrg>): Promise<Org> {
  // Rows are locked in the order of their ids to avoid deadlocks.
  if (body.distributorOrgId && body.distributorOrgId < id) await findDistributor(tx, body.distributorOrgId)
  const org = found(await lockOrganizationForUpdate(tx, id))
  const terms = changedTerms(org, body)
  const problem = termsProblem(terms)
  if (problem) throw invalid([problem])
  if (terms.distributorOrgId === id) throw invalidField('distributorOrgId', 'is the organization itself')
  if (terms.distributorOrgId !== null && terms.distributorOrgId !== org.distributorOrgId) {
    await requireDistributor(tx, terms.distributorOrgId)
  }
  requireMatch(ifMatch, await visibleOrg(tx, caller, id))
  const roles = [...new Set(body.roles ?? org.roles)]
  if (!roles.includes('DISTRIBUTOR') && (await findEngagedOrganization(tx, id)).length > 0) {
    throw refuse('in_use', {
      errors: [{ field: 'roles', message: 'must include DISTRIBUTOR: organizations are engaged through this one' }],
    })
  }
  const { name = org.name, regionCode = org.regionCode, website = org.website } = body
  const changed = { ...org, name, roles, regionCode, website, ...terms }
  if (Bun.deepEquals(changed, { ...org })) return visibleOrg(tx, caller, id)
  await updateOrganization(tx, changed)
  await reconcileRoles(tx, id, { roles, operator: org.operator }, now)
  await emitOrganizationChanged(tx, id)
  return visibleOrg(tx, caller, id)
}

async function visibleOrg(tx: Tx, caller: Caller, id: string): Promise<Org> {
  return withoutNulls(found(await findOrganizations(tx, caller, [id])))
}

/** Creates the operator's organization with its first administrator, once. No caller exists yet. */
export function bootstrapOperator(sql: Pool, input: NewOrganization, now: string) {
  const exists = () => refuse('conflict', { detail: 'An operator already exists.' })
  return sql
    .begin(async (tx) => {
      if ((await findOperator(tx)).length > 0) throw exists()
      return addOrganization(tx, input, { operator: true, now })
    })
    .catch(refuseTaken('organizations_operator', exists))
}

/** Adds an organization with its system roles and its first administrator. */
export async function addOrganization(
  tx: Tx,
  { name, roles, regionCode, website, distributorOrgId, administrator }: NewOrganization,
  { operator, now, emailField = 'administrator.email' }: { operator: boolean; now: string; emailField?: string },
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
  for (const role of systemRolesOf(standing)) {
    const id = newId('role')
    await insertRole(tx, { id, orgId, ...role, system: true }, now)
    roleIds.set(role.name, id)
  }
  const { userId, activationToken } = await addUser(tx, orgId, administrator, {
    now,
    createdBy: null,
    field: emailField,
  })
  await grantRoleTo(tx, { orgId, userIds: [userId], roleId: roleIds.get('Administrator') as string })
  await emitOrganizationChanged(tx, orgId)
  return { orgId, administratorId: userId, activationToken }
}
