import { emailAddressOf } from '../../kit/addresses/email-addresses.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { isRefusalOf } from '../../kit/errors/refusal.ts'
import { requireAdministratorLeft } from '../authority/authority.ts'
import { emitUserChanged } from '../authority/events.ts'
import { domainOfEmail } from '../identity-providers/domains.ts'
import type { ProviderRow } from '../identity-providers/queries.ts'
import { grantRoleTo, type RoleOf, withdrawRoleFrom } from '../roles/queries.ts'
import { insertUser } from '../users/queries.ts'
import type { ProviderClaims } from './oidc.ts'
import * as queries from './queries.ts'
import { groupsIn, nameOf, rolesOfGroups, SsoRefused } from './rules.ts'

export interface SignedIn {
  user: queries.PersonRow
  isNew: boolean
  grantedRoleIds: string[]
  withdrawnRoleIds: string[]
}

/** A refusal that concerns a user, in whose name it is audited. */
export class UserRefused extends SsoRefused {
  readonly user: queries.PersonRow
  readonly reason: string

  constructor(user: queries.PersonRow, reason: string, message: string) {
    super('account', message)
    this.user = user
    this.reason = reason
  }
}

/**
 * Finds or makes the user of an account: by its link, else by a confirmed address of a proved domain in the provider's
 * organization, else with the default roles. The organization is locked, so that first sign-ins come one at a time.
 */
export async function signInAccount(
  tx: Tx,
  provider: ProviderRow,
  claims: ProviderClaims,
  now: string,
): Promise<SignedIn> {
  const domains = await queries.provedDomainsOf(tx, provider)
  const found = await findUser(tx, provider, claims, domains, now)
  const user = found ?? (await addUser(tx, provider, confirmedEmail(claims, domains), claims, now))
  const granted = found ? [] : await grantDefaultRoles(tx, provider, user)
  const changed = await followGroups(tx, provider, user, claims)
  const grantedRoleIds = [...granted, ...changed.grantedRoleIds]
  if (!found || grantedRoleIds.length + changed.withdrawnRoleIds.length > 0)
    await emitUserChanged(tx, provider.org_id, user.id)
  return { user, isNew: !found, grantedRoleIds, withdrawnRoleIds: changed.withdrawnRoleIds }
}

async function findUser(
  tx: Tx,
  provider: ProviderRow,
  claims: ProviderClaims,
  domains: ReadonlySet<string>,
  now: string,
): Promise<queries.PersonRow | undefined> {
  const [linked] = await queries.findLinked(tx, provider, claims.subject)
  if (linked) {
    requireActive(linked)
    if (!domains.has(domainOfEmail(linked.email)))
      throw new UserRefused(linked, 'domain_not_proved', 'The domain of the user is not proved for this provider.')
    return linked
  }
  const email = confirmedEmail(claims, domains)
  const [named] = await queries.findByEmail(tx, email)
  if (!named) return undefined
  if (named.org_id !== provider.org_id)
    throw new SsoRefused('account', 'The e-mail address belongs to a user of another organization.')
  requireActive(named)
  await queries.linkAccount(tx, linkOf(provider, claims, named), now)
  return named
}

function requireActive(user: queries.PersonRow): void {
  if (!user.active) throw new UserRefused(user, 'user_inactive', 'The user is not active.')
}

/** The address of a person, which the provider confirms and whose domain is proved. */
export function confirmedEmail({ email }: ProviderClaims, domains: ReadonlySet<string>): string {
  const address = email === undefined ? undefined : emailAddressOf(email)
  if (address === undefined)
    throw new SsoRefused('email', 'The provider did not name an e-mail address, or did not confirm it.')
  if (!domains.has(domainOfEmail(address)))
    throw new SsoRefused('email', 'The domain of the e-mail address is not proved for this provider.')
  return address
}

const linkOf = ({ id, org_id: orgId }: ProviderRow, { subject }: ProviderClaims, user: queries.PersonRow) => ({
  orgId,
  providerId: id,
  subject,
  userId: user.id,
})

async function addUser(
  tx: Tx,
  provider: ProviderRow,
  email: string,
  claims: ProviderClaims,
  now: string,
): Promise<queries.PersonRow> {
  const { org_id: orgId } = provider
  const local = email.slice(0, email.lastIndexOf('@'))
  const user = { id: newIdAt('user', now), org_id: orgId, email, active: true, session_version: 1 }
  const names = { givenName: nameOf(claims.givenName, local), familyName: nameOf(claims.familyName, local) }
  await insertUser(tx, { id: user.id, orgId, email, ...names, phone: null, lineage: {} }, now)
  await queries.linkAccount(tx, linkOf(provider, claims, user), now)
  return user
}

async function grantDefaultRoles(tx: Tx, provider: ProviderRow, user: queries.PersonRow): Promise<string[]> {
  const roles = await queries.listRoles(tx, provider.org_id, user.id, provider.defaultRoleIds)
  for (const { id: roleId } of roles) await grantRoleTo(tx, { orgId: provider.org_id, userIds: [user.id], roleId })
  return roles.map(({ id }) => id)
}

/** Grants the roles of a person's groups and withdraws the other roles of the map. */
async function followGroups(tx: Tx, provider: ProviderRow, user: queries.PersonRow, { all }: ProviderClaims) {
  const { org_id: orgId, groupsClaim: claim, groupRoles: map } = provider
  const changed: Pick<SignedIn, 'grantedRoleIds' | 'withdrawnRoleIds'> = { grantedRoleIds: [], withdrawnRoleIds: [] }
  const groups = claim === null ? undefined : groupsIn(all, claim)
  if (groups === undefined || map === null) return changed
  const wanted = rolesOfGroups(groups, map)
  for (const role of await queries.listRoles(tx, orgId, user.id, Object.values(map))) {
    const of = { orgId, userIds: [user.id], roleId: role.id }
    if (wanted.has(role.id) && !role.held) {
      await grantRoleTo(tx, of)
      changed.grantedRoleIds.push(role.id)
    } else if (!wanted.has(role.id) && role.held && !provider.defaultRoleIds.includes(role.id)) {
      if (await withdraw(tx, of, role.permissions.includes('org:admin'))) changed.withdrawnRoleIds.push(role.id)
    }
  }
  return changed
}

/** The last administrator, and the break-glass administrator, keep the role. */
const withdraw = (tx: Tx, of: RoleOf, isAdmin: boolean): Promise<boolean> =>
  tx
    .savepoint(async (inner) => {
      await withdrawRoleFrom(inner, of)
      if (isAdmin) await requireAdministratorLeft(inner, of.orgId)
      return true
    })
    .catch((error) => {
      if (isRefusalOf(error, 'last_administrator') || isRefusalOf(error, 'conflict')) return false
      throw error
    }) as Promise<boolean>
