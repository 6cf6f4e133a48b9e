import type { Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

export interface DomainRow {
  domain: string
  proof: string
  proved_at: string | null
  lost_at: string | null
  checked_at: string | null
}

interface ProviderContent {
  name: string
  issuer: string
  clientId: string
  /** Encrypted. */
  clientSecret: string
  defaultRoleIds: string[]
  groupsClaim: string | null
  groupRoles: Record<string, string> | null
  breakGlassUserId: string | null
}

export interface ProviderRow extends ProviderContent {
  id: string
  org_id: string
  enforce: boolean
  version: number
  created_at: string
  updated_at: string
  tested_at: string | null
  test_email: string | null
  test_problem: string | null
}

const columns = (sql: Sql) => sql`
  id, org_id, name, issuer, client_id as "clientId", client_secret as "clientSecret",
  default_role_ids as "defaultRoleIds", groups_claim as "groupsClaim", group_roles as "groupRoles", enforce,
  break_glass_user_id as "breakGlassUserId", version, created_at, updated_at, tested_at, test_email, test_problem`

/** The providers of an organization, newest first. */
export const listProviders = (sql: Sql, orgId: string, { after, limit, offset }: PageWindow) => sql<ProviderRow[]>`
  select ${columns(sql)} from organization.identity_providers
  where org_id = ${orgId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export const findProvider = (sql: Sql, orgId: string, id: string) => sql<ProviderRow[]>`
  select ${columns(sql)} from organization.identity_providers where org_id = ${orgId} and id = ${id}`

export const countProviders = (sql: Sql, orgId: string) => sql<[{ count: number }]>`
  select count(*)::int as count from organization.identity_providers where org_id = ${orgId}`

export const listDomains = (sql: Sql, orgId: string, providerIds: readonly string[]) => sql<
  (DomainRow & { provider_id: string })[]
>`
  select provider_id, domain, proof, proved_at, lost_at, checked_at from organization.identity_domains
  where org_id = ${orgId} and provider_id = any(${[...providerIds]}) order by domain`

const jsonOf = (value: unknown) => (value === null ? null : JSON.stringify(value))

export const insertProvider = (
  tx: Tx,
  { id, orgId, ...content }: ProviderContent & { id: string; orgId: string },
  now: string,
) => tx`
  insert into organization.identity_providers
    (id, org_id, name, issuer, client_id, client_secret, default_role_ids, groups_claim, group_roles,
      break_glass_user_id, created_at, updated_at)
  values (${id}, ${orgId}, ${content.name}, ${content.issuer}, ${content.clientId}, ${content.clientSecret},
    ${content.defaultRoleIds}, ${content.groupsClaim}, ${jsonOf(content.groupRoles)}::text::jsonb,
    ${content.breakGlassUserId}, ${now}, ${now})`

/**
 * Ends the enforcement, which `setEnforced` begins again. `isOther`: issuer, client id or secret changed, so that the
 * test and what is at the provider are void.
 */
export const updateProvider = (
  tx: Tx,
  { id, orgId, isOther, ...content }: ProviderContent & { id: string; orgId: string; isOther: boolean },
  now: string,
) => tx`
  update organization.identity_providers set name = ${content.name}, issuer = ${content.issuer},
    client_id = ${content.clientId}, client_secret = ${content.clientSecret},
    default_role_ids = ${content.defaultRoleIds}, groups_claim = ${content.groupsClaim},
    group_roles = ${jsonOf(content.groupRoles)}::text::jsonb, enforce = false,
    break_glass_user_id = ${content.breakGlassUserId}, updated_at = ${now},
    version = version + ${isOther ? 1 : 0},
    tested_at = case when ${isOther} then null else tested_at end,
    test_email = case when ${isOther} then null else test_email end,
    test_problem = case when ${isOther} then null else test_problem end
  where org_id = ${orgId} and id = ${id}`

export const setEnforced = (tx: Tx, orgId: string, id: string) => tx`
  update organization.identity_providers set enforce = true where org_id = ${orgId} and id = ${id}`

export const deleteProvider = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  delete from organization.identity_providers where org_id = ${orgId} and id = ${id} returning id`

export const deleteLinks = (tx: Tx, providerId: string) => tx`
  delete from organization.identity_links where provider_id = ${providerId}`

/** No row if another provider of the organization has the domain. */
export const insertDomain = (
  tx: Tx,
  { orgId, providerId, domain, proof }: { orgId: string; providerId: string; domain: string; proof: string },
) => tx<{ domain: string }[]>`
  insert into organization.identity_domains (org_id, provider_id, domain, proof)
  values (${orgId}, ${providerId}, ${domain}, ${proof})
  on conflict (org_id, domain) do nothing
  returning domain`

export const deleteOtherDomains = (tx: Tx, orgId: string, providerId: string, kept: readonly string[]) => tx`
  delete from organization.identity_domains
  where org_id = ${orgId} and provider_id = ${providerId} and domain <> all(${[...kept]})`

/** Throws a unique violation if another organization has proved the domain. */
export const markProved = (tx: Tx, orgId: string, providerId: string, domain: string, now: string) => tx`
  update organization.identity_domains
  set proved_at = case when proved_at is null or lost_at is not null then ${now}::timestamptz else proved_at end,
    lost_at = null, checked_at = ${now}, answered_at = ${now}
  where org_id = ${orgId} and provider_id = ${providerId} and domain = ${domain}`

/** Takes proved domains whose daily check is due. */
export const takeDueDomains = (sql: Sql, before: string, now: string, limit: number) => sql<
  { org_id: string; domain: string; proof: string; answered_at: string | null }[]
>`
  update organization.identity_domains d set checked_at = ${now}
  from (
    select org_id, domain from organization.identity_domains
    where proved_at is not null and lost_at is null and checked_at < ${before}
    order by checked_at limit ${limit} for update skip locked) due
  where d.org_id = due.org_id and d.domain = due.domain
  returning d.org_id, d.domain, d.proof, d.answered_at`

/**
 * The proof and the time of the check are conditions, because the domain may have been removed and added again, or
 * verified, while the DNS was asked.
 */
export const recordCheck = (
  sql: Sql,
  { orgId, domain, proof }: { orgId: string; domain: string; proof: string },
  { isLost, isAnswered }: { isLost: boolean; isAnswered: boolean },
  now: string,
) => sql<{ lost: boolean }[]>`
  update organization.identity_domains
  set lost_at = case when ${isLost} then ${now}::timestamptz else lost_at end,
    answered_at = case when ${isAnswered} then ${now}::timestamptz else answered_at end
  where org_id = ${orgId} and domain = ${domain} and proof = ${proof} and lost_at is null and checked_at = ${now}
  returning lost_at is not null as lost`

/** A row if the user is an active administrator of the organization who can sign in with a password. */
export const findBreakGlass = (sql: Sql, orgId: string, userId: string) => sql<{ has_password: boolean }[]>`
  select exists (
    select from identity.password_directory p where p.user_id = u.id and p.password_version = u.password_version
  ) as has_password
  from organization.users u
  where u.org_id = ${orgId} and u.id = ${userId} and u.active and u.kind = 'PERSON' and exists (
    select from organization.user_roles ur join organization.roles r on r.id = ur.role_id
    where ur.org_id = ${orgId} and ur.user_id = u.id and 'org:admin' = any(r.permissions))`

/** Erases the address of a user from the results of tests. */
export const eraseTester = (tx: Tx, orgId: string, userId: string) => tx`
  update organization.identity_providers provider set test_email = null from organization.users u
  where provider.org_id = ${orgId} and u.id = ${userId} and lower(provider.test_email) = u.email_key`

export const listSecrets = (sql: Sql, after: string, limit: number) => sql<{ id: string; client_secret: string }[]>`
  select id, client_secret from organization.identity_providers where id > ${after} order by id limit ${limit}`

export const replaceSecret = (sql: Sql, id: string, before: string, next: string) => sql`
  update organization.identity_providers set client_secret = ${next} where id = ${id} and client_secret = ${before}`
