import { createHmac } from 'node:crypto'
import { createMarketplace, type Marketplace, password } from '../../../proto/clients/typescript/src/index.ts'
import { type DemoOrganization, emailOf, ORGANIZATIONS, personOf, websiteOf } from './story.ts'

/** An organization of the demo with clients that are signed in as its people. */
export interface Company {
  orgId: string
  administrator: Marketplace
  member: Marketplace
  memberId: string
  /** Its factories by name, and its published parts by their references. */
  factoryIds: Map<string, string>
  partIds: Map<string, string>
  /** The key of its service account. */
  program?: ProgramKey
}

export interface ProgramKey {
  clientId: string
  clientSecret: string
}

export interface Demo {
  url: string
  /** Passwords derive from it, so they are the same in every run of one checkout. */
  secret: string
  /** By the keys of the story. */
  companies: Map<string, Company>
}

export function companyOf({ companies }: Demo, key: string): Company {
  const company = companies.get(key)
  if (!company) throw new Error(`The demo has no organization ${key}.`)
  return company
}

/** A readable password of four groups with 80 bits. */
export function demoPassword(secret: string, email: string): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789z'
  const bytes = createHmac('sha256', secret).update(`demo password of ${email}`).digest().subarray(0, 16)
  const letters = Array.from(bytes, (byte) => alphabet[byte % 32]).join('')
  return letters.replaceAll(/.{4}(?!$)/g, '$&-')
}

/** A client that signs in as a person with its first request. */
export const signedIn = ({ url, secret }: Pick<Demo, 'url' | 'secret'>, email: string): Marketplace =>
  createMarketplace({ url, credentials: password({ email, password: demoPassword(secret, email) }) })

/** Sets the password of a new account. */
export async function activate({ url, secret }: Demo, email: string, token: string): Promise<void> {
  const body = { token, password: demoPassword(secret, email) }
  await createMarketplace({ url }).POST('/flows/v1/activations', { body })
}

/** Creates the organizations of the story with their people, roles, business units, custom fields and keys. */
export async function createCompanies(demo: Demo, operator: Marketplace): Promise<void> {
  for (const org of ORGANIZATIONS) {
    const administrator = { ...personOf(org.people.administrator), email: emailOf(org.people.administrator, org) }
    const terms = org.distributor
      ? { engagement: 'DISTRIBUTOR' as const, distributorOrgId: companyOf(demo, org.distributor).orgId }
      : {}
    const { name, roles, regionCode } = org
    const body = { name, roles, regionCode, website: websiteOf(org), administrator, ...terms }
    const { data: created } = await operator.POST('/flows/v1/orgs', { body })
    await activate(demo, administrator.email, tokenOf(created.activationUrl))
    demo.companies.set(org.key, await staff(demo, org, created.id))
    console.log(`  ${name}`)
  }
}

/** The token of a link that was not mailed. */
const tokenOf = (activationUrl = '') => new URL(activationUrl).hash.slice(1)

/** Creates the people of an organization, whose administrator can sign in. */
export async function staff(demo: Demo, org: DemoOrganization, orgId: string): Promise<Company> {
  const administrator = signedIn(demo, emailOf(org.people.administrator, org))
  for (const body of org.staffRoles ?? []) await administrator.POST('/flows/v1/roles', { body })
  const roleIds = new Map<string, string>()
  for await (const { name, id } of administrator.pages('/v1/roles')) roleIds.set(name, id)

  const invite = async (name: string, roles: readonly string[], phone?: string) => {
    const email = emailOf(name, org)
    const body = { ...personOf(name), email, ...(phone ? { phone } : {}) }
    const { data: user } = await administrator.POST('/flows/v1/users', { body })
    for (const role of roles) {
      const params = { path: { id: roleIds.get(role) ?? '' } }
      await administrator.POST('/flows/v1/roles/{id}/grant', { params, body: { userId: user.id } })
    }
    return { id: user.id, email, token: tokenOf(user.activationUrl) }
  }
  const member = await invite(org.people.member, org.memberRoles)
  const guest = await invite(org.people.guest, [])
  for (const { email, token } of [member, guest]) await activate(demo, email, token)
  for (const { name, phone, role, left } of org.colleagues ?? []) {
    // The member can have a role of the organization's own, too.
    const { id } = name === org.people.member ? member : await invite(name, [role], phone)
    if (left) await administrator.POST('/flows/v1/users/{id}/deactivate', { params: { path: { id } } })
  }
  return {
    orgId,
    administrator,
    member: signedIn(demo, member.email),
    memberId: member.id,
    factoryIds: new Map(),
    partIds: new Map(),
    ...(org.program ? { program: await createProgram(administrator, org.program, roleIds) } : {}),
  }
}

async function createProgram(
  administrator: Marketplace,
  { name, role }: { name: string; role: string },
  roleIds: ReadonlyMap<string, string>,
): Promise<ProgramKey> {
  const body = { name, roleIds: [roleIds.get(role) ?? ''] }
  const { data: account } = await administrator.POST('/flows/v1/service-accounts', { body })
  const params = { path: { id: account.id } }
  const key = { params, body: { description: 'Demo' } }
  const { clientId, clientSecret } = (await administrator.POST('/flows/v1/service-accounts/{id}/keys', key)).data
  return { clientId, clientSecret }
}
