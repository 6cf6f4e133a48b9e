import { createHmac } from 'node:crypto'
import type { Procedure } from '../../proto/procedures.ts'
import type { AuditContext } from '../../services/kit/audit/context.ts'
import { beginAs } from '../../services/kit/auth/authorized.ts'
import type { Caller } from '../../services/kit/auth/caller.ts'
import type { Pool } from '../../services/kit/db/client.ts'
import { createBusinessUnit } from '../../services/organization/business-units/commands.ts'
import { createCustomField } from '../../services/organization/custom-fields/commands.ts'
import { bootstrapOperator, createOrganization } from '../../services/organization/organizations/commands.ts'
import { grantRole } from '../../services/organization/role-assignments/commands.ts'
import { findRoleByName, listRoles } from '../../services/organization/roles/queries.ts'
import { createUser, resetCredentials } from '../../services/organization/users/commands.ts'
import { findUserByEmail } from '../../services/organization/users/queries.ts'
import { ApiClient } from '../../services/testing/client.ts'
import { type DemoOrganization, emailOf, type Person, websiteOf } from './story.ts'

export interface DemoDeps {
  /** Connects with the role of the organization service. */
  sql: Pool
  baseUrl: string
  /** Passwords derive from it, so they are the same in every run of one checkout. */
  secret: string
}

/** The user in whose name the commands run: an administrator of a demo organization. */
export type Actor = Pick<Caller, 'orgId' | 'userId'>

const now = () => new Date().toISOString()

/** A readable password of four groups with 80 bits. */
export function demoPassword(secret: string, email: string): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789z'
  const bytes = createHmac('sha256', secret).update(`demo password of ${email}`).digest().subarray(0, 16)
  const letters = Array.from(bytes, (byte) => alphabet[byte % 32]).join('')
  return letters.replaceAll(/.{4}(?!$)/g, '$&-')
}

/** Creates the organization, its people and their roles where they are missing, also after an interrupted seed. */
export async function ensureOrganization(
  deps: DemoDeps,
  operator: Actor | undefined,
  org: DemoOrganization,
  distributorOrgId: string | undefined,
): Promise<Actor> {
  const { administrator, member, guest } = org.people
  const found = await findAccount(deps.sql, administrator, org)
  const caller = found ?? (await createDemoOrganization(deps.sql, operator, org, distributorOrgId))
  const memberCaller = (await findAccount(deps.sql, member, org)) ?? (await createMember(deps.sql, caller, org, member))
  for (const role of org.memberRoles) await grantRoleNamed(deps.sql, caller, role, memberCaller.userId)
  if (!(await findAccount(deps.sql, guest, org))) await createMember(deps.sql, caller, org, guest)
  for (const person of [administrator, member, guest]) await ensurePassword(deps, emailOf(person, org))
  return caller
}

async function findAccount(sql: Pool, person: Person, org: DemoOrganization): Promise<Actor | undefined> {
  const [user] = await findUserByEmail(sql, emailOf(person, org))
  return user && callerOf(user.org_id, user.id)
}

async function createDemoOrganization(
  sql: Pool,
  operator: Actor | undefined,
  org: DemoOrganization,
  distributorOrgId: string | undefined,
): Promise<Actor> {
  const { name, roles, regionCode, people } = org
  const administrator = { ...people.administrator, email: emailOf(people.administrator, org) }
  const distributor = distributorOrgId === undefined ? {} : { distributorOrgId }
  const input = { name, roles, regionCode, website: websiteOf(org), administrator, ...distributor }
  const created = operator
    ? await createOrganization(beginAs(sql, operator), contextOf(operator, 'org.create', { name, roles }), input, now())
    : await bootstrapOperator(sql, input, now())
  return callerOf(created.orgId, created.administratorId)
}

async function createMember(sql: Pool, caller: Actor, org: DemoOrganization, person: Person): Promise<Actor> {
  const input = { ...person, email: emailOf(person, org) }
  const { userId } = await createUser(beginAs(sql, caller), contextOf(caller, 'user.create', {}), input, now())
  return callerOf(caller.orgId, userId)
}

export async function grantRoleNamed(sql: Pool, caller: Actor, name: string, userId: string): Promise<void> {
  const [role] = await findRoleByName(sql, caller.orgId, name)
  if (!role) throw new Error(`The demo grants the role ${name}, which the organization lacks.`)
  const held = await listRoles(sql, caller.orgId, { userId }, { after: undefined, offset: 0, limit: 50 })
  if (held.some(({ id }) => id === role.id)) return
  const grant = { roleId: role.id, userId }
  await grantRole(beginAs(sql, caller), contextOf(caller, 'role.grant', { id: role.id, userId }), grant)
}

/** Signs in with the derived password, and activates the account again if that fails. */
async function ensurePassword({ sql, baseUrl, secret }: DemoDeps, email: string): Promise<void> {
  const client = new ApiClient(baseUrl)
  const password = demoPassword(secret, email)
  const signedIn = await client.signIn(email, password).then(
    () => true,
    () => false,
  )
  if (signedIn) return
  const activationToken = await sql.begin(async (tx) => {
    const [user] = await findUserByEmail(tx, email)
    if (!user) throw new Error(`The demo has no user ${email}.`)
    return resetCredentials(tx, user.org_id, user.id, { now: now(), createdBy: null })
  })
  await client.activate(activationToken, password)
}

export interface Fixtures {
  businessUnits: Map<string, string>
  options: Map<string, { fieldId: string; optionId: string }>
}

/** Creates the business units and custom fields of an organization's parts, once. */
export async function ensureFixtures(sql: Pool, caller: Actor, org: DemoOrganization): Promise<Fixtures> {
  const units = await sql<{ id: string; name: string }[]>`
    select id, name from organization.business_units where org_id = ${caller.orgId}`
  const businessUnits = new Map(units.map(({ id, name }) => [name, id]))
  for (const name of org.businessUnits ?? []) {
    if (businessUnits.has(name)) continue
    const made = await createBusinessUnit(
      beginAs(sql, caller),
      contextOf(caller, 'businessUnit.create', { name }),
      name,
      now(),
    )
    businessUnits.set(name, made.businessUnitId)
  }
  const rows = await sql<{ field_id: string; id: string; field: string; name: string }[]>`
    select o.field_id, o.id, f.name as field, o.name
    from organization.custom_field_options o join organization.custom_fields f on f.id = o.field_id
    where f.org_id = ${caller.orgId}`
  const options = new Map(rows.map((row) => [`${row.field}/${row.name}`, { fieldId: row.field_id, optionId: row.id }]))
  for (const field of org.customFields ?? []) {
    if (options.has(`${field.name}/${field.options[0]}`)) continue
    const made = await createCustomField(
      beginAs(sql, caller),
      contextOf(caller, 'customField.create', { ...field }),
      field,
      now(),
    )
    for (const option of made.options) {
      options.set(`${field.name}/${option.name}`, { fieldId: made.fieldId, optionId: option.id })
    }
  }
  return { businessUnits, options }
}

const callerOf = (orgId: string, userId: string): Actor => ({ orgId, userId })

export const contextOf = (caller: Actor, procedure: Procedure, request: Record<string, unknown>): AuditContext => ({
  procedure,
  orgId: caller.orgId,
  actorId: caller.userId,
  grantId: undefined,
  ipAddress: '127.0.0.1',
  userAgent: 'marketplace-seed',
  request,
})
