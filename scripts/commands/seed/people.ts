import type { BusinessUnit } from '../../../proto/http/organization/business-units.ts'
import type { CustomField } from '../../../proto/http/organization/custom-fields.ts'
import type { CreatedOrg } from '../../../proto/http/organization/orgs.ts'
import type { Role } from '../../../proto/http/organization/roles.ts'
import type { CreatedUser } from '../../../proto/http/organization/users.ts'
import { bootstrapOperator } from '../../../services/organization/organizations/commands.ts'
import { resetCredentials } from '../../../services/organization/users/commands.ts'
import { findUserByEmail } from '../../../services/organization/users/queries.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { type DemoDeps, demoPassword, expectOk, signedIn } from './requests.ts'
import { type DemoOrganization, emailOf, type Person, websiteOf } from './story.ts'

/** An organization of the demo and a client that is signed in as its administrator. */
interface AdministeredOrganization {
  orgId: string
  client: ApiClient
}

/**
 * Creates the organization, its people and their roles where they are missing, also after an interrupted seed. The
 * operator creates the organizations; its own, which has none above it, is created as the operator's command line does.
 */
export async function ensureOrganization(
  deps: DemoDeps,
  operator: ApiClient | undefined,
  org: DemoOrganization,
  distributorOrgId: string | undefined,
): Promise<AdministeredOrganization> {
  const { administrator, member, guest } = org.people
  const email = emailOf(administrator, org)
  const [known] = await findUserByEmail(deps.sql, email)
  const orgId = known?.org_id ?? (await createDemoOrganization(deps, operator, org, distributorOrgId))
  await ensurePassword(deps, email)
  const client = await signedIn(deps, email)
  const memberId = await ensureUser(deps, client, { ...member, email: emailOf(member, org) })
  for (const role of org.memberRoles) await grantRoleNamed(client, role, memberId)
  await ensureUser(deps, client, { ...guest, email: emailOf(guest, org) })
  for (const person of [member, guest]) await ensurePassword(deps, emailOf(person, org))
  return { orgId, client }
}

/** Returns the id of the organization. */
async function createDemoOrganization(
  { sql }: DemoDeps,
  operator: ApiClient | undefined,
  org: DemoOrganization,
  distributorOrgId: string | undefined,
): Promise<string> {
  const { name, roles, regionCode, people } = org
  const administrator = { ...people.administrator, email: emailOf(people.administrator, org) }
  const input = { name, roles, regionCode, website: websiteOf(org), administrator }
  if (!operator) return (await bootstrapOperator(sql, input, new Date().toISOString())).orgId
  const terms = distributorOrgId === undefined ? {} : { engagement: 'DISTRIBUTOR', distributorOrgId }
  return (await expectOk(operator.post<CreatedOrg>('/flows/v1/orgs', { ...input, ...terms }))).id
}

/** Returns the id of the user, who is created where missing. */
export async function ensureUser(
  { sql }: DemoDeps,
  administrator: ApiClient,
  user: Person & { email: string; phone?: string },
): Promise<string> {
  const [known] = await findUserByEmail(sql, user.email)
  return known?.id ?? (await expectOk(administrator.post<CreatedUser>('/flows/v1/users', user))).id
}

export async function grantRoleNamed(administrator: ApiClient, name: string, userId: string): Promise<void> {
  const role = await findRole(administrator, name)
  if (!role) throw new Error(`The demo grants the role ${name}, which the organization lacks.`)
  const held = await expectOk(administrator.get<{ items: Role[] }>(`/v1/roles?userId=${userId}&pageSize=50`))
  if (held.items.some(({ id }) => id === role.id)) return
  await expectOk(administrator.post(`/flows/v1/roles/${role.id}/grant`, { userId }))
}

export async function findRole(administrator: ApiClient, name: string): Promise<Role | undefined> {
  const { items } = await expectOk(administrator.get<{ items: Role[] }>('/v1/roles?pageSize=50'))
  return items.find((role) => role.name === name)
}

/** Sets the derived password of an account that cannot sign in with it. */
async function ensurePassword(deps: DemoDeps, email: string): Promise<void> {
  const canSignIn = await signedIn(deps, email).then(
    () => true,
    () => false,
  )
  if (canSignIn) return
  const activationToken = await deps.sql.begin(async (tx) => {
    const [user] = await findUserByEmail(tx, email)
    if (!user) throw new Error(`The demo has no user ${email}.`)
    return resetCredentials(tx, user.org_id, user.id, { now: new Date().toISOString(), createdBy: null })
  })
  await new ApiClient(deps.baseUrl).activate(activationToken, demoPassword(deps.secret, email))
}

export interface Fixtures {
  businessUnits: Map<string, string>
  options: Map<string, { fieldId: string; optionId: string }>
}

/** Creates the business units and custom fields of an organization's parts, once. */
export async function ensureFixtures(administrator: ApiClient, org: DemoOrganization): Promise<Fixtures> {
  const units = await expectOk(administrator.get<{ items: BusinessUnit[] }>('/flows/v1/business-units?pageSize=50'))
  const businessUnits = new Map(units.items.map(({ name, id }) => [name, id]))
  for (const name of org.businessUnits ?? []) {
    if (businessUnits.has(name)) continue
    const { id } = await expectOk(administrator.post<BusinessUnit>('/flows/v1/business-units', { name }))
    businessUnits.set(name, id)
  }
  const { items: fields } = await expectOk(
    administrator.get<{ items: CustomField[] }>('/flows/v1/custom-fields?pageSize=50'),
  )
  for (const { name, options } of org.customFields ?? []) {
    if (fields.some((field) => field.name === name)) continue
    const field = { name, options: options.map((option) => ({ name: option })) }
    fields.push(await expectOk(administrator.post<CustomField>('/flows/v1/custom-fields', field)))
  }
  const options = fields.flatMap(({ id: fieldId, name, options }) =>
    options.map((option) => [`${name}/${option.name}`, { fieldId, optionId: option.id }] as const),
  )
  return { businessUnits, options: new Map(options) }
}
