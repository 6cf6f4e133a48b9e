import type { Permission } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { siteOf } from '../../kit/http/client-address.ts'
import type { ProviderRow } from '../identity-providers/queries.ts'

/** The provider whose organization has proved the domain. */
export const findProviderOfDomain = (sql: Sql, domain: string) => sql<{ org_id: string; id: string }[]>`
  select org_id, provider_id as id from organization.identity_domains
  where domain = ${domain} and proved_at is not null and lost_at is null`

/** The proved domains of a provider. */
export async function provedDomainsOf(sql: Sql, { org_id: orgId, id }: ProviderRow): Promise<Set<string>> {
  const rows = await sql<{ domain: string }[]>`
    select domain from organization.identity_domains
    where org_id = ${orgId} and provider_id = ${id} and proved_at is not null and lost_at is null`
  return new Set(rows.map(({ domain }) => domain))
}

export interface NewFlow {
  stateHash: Uint8Array
  orgId: string
  providerId: string
  version: number
  browserHash: Uint8Array
  nonce: string
  codeVerifier: string
  testedBy: string | null
  network: string
  expiresAt: string
}

/** Upper bounds of the sign-ins at providers: of all, of one network, and of the networks of one client. */
const MAX_FLOWS = { all: 20_000, ofNetwork: 200, ofSite: 2000 }

/** No row where too many sign-ins are under way. */
export const insertFlow = (sql: Sql, flow: NewFlow, now: string) => sql<{ expires_at: string }[]>`
  insert into organization.sso_flows
    (state_hash, org_id, provider_id, version, browser_hash, nonce, code_verifier, tested_by, network, created_at,
      expires_at)
  select ${Buffer.from(flow.stateHash)}, ${flow.orgId}, ${flow.providerId}, ${flow.version},
    ${Buffer.from(flow.browserHash)}, ${flow.nonce}, ${flow.codeVerifier}, ${flow.testedBy}, ${flow.network}, ${now},
    ${flow.expiresAt}
  where (select count(*) from (
      select from organization.sso_flows where expires_at > ${now} limit ${MAX_FLOWS.all}) f) < ${MAX_FLOWS.all}
    and (select count(*) from organization.sso_flows f
      where f.network = ${flow.network} and f.expires_at > ${now}) < ${MAX_FLOWS.ofNetwork}
    and (select count(*) from organization.sso_flows f
      where f.network like ${siteOf(flow.network)} and f.expires_at > ${now}) < ${MAX_FLOWS.ofSite}
  returning expires_at`

interface FlowRow {
  org_id: string
  provider_id: string
  version: number
  browser_hash: Uint8Array
  nonce: string
  code_verifier: string
  tested_by: string | null
}

/** Takes a flow that has not expired. A state is used once, whatever follows. */
export const takeFlow = (sql: Sql, stateHash: Uint8Array, now: string) => sql<FlowRow[]>`
  with taken as (
    delete from organization.sso_flows where state_hash = ${Buffer.from(stateHash)}
    returning org_id, provider_id, version, browser_hash, nonce, code_verifier, tested_by, expires_at)
  select org_id, provider_id, version, browser_hash, nonce, code_verifier, tested_by from taken
  where expires_at > ${now}`

export interface PersonRow {
  id: string
  org_id: string
  email: string
  active: boolean
  session_version: number
}

/** The user of an account of the provider. */
export const findLinked = (tx: Tx, { org_id: orgId, id }: ProviderRow, subject: string) => tx<PersonRow[]>`
  select u.id, u.org_id, u.email, u.active and u.kind = 'PERSON' and u.anonymised_at is null as active,
    u.session_version
  from organization.identity_links l
  join organization.users u on u.org_id = l.org_id and u.id = l.user_id
  where l.provider_id = ${id} and l.subject = ${subject} and l.org_id = ${orgId}`

/** The user of an address, in any organization. */
export const findByEmail = (tx: Tx, email: string) => tx<PersonRow[]>`
  select id, org_id, email, active and kind = 'PERSON' as active, session_version
  from organization.users where email_key = lower(${email}) and anonymised_at is null`

/** A user has one account of a provider; a new one replaces it. */
export const linkAccount = (
  tx: Tx,
  { orgId, providerId, subject, userId }: { orgId: string; providerId: string; subject: string; userId: string },
  now: string,
) => tx`
  insert into organization.identity_links (provider_id, subject, org_id, user_id, created_at)
  values (${providerId}, ${subject}, ${orgId}, ${userId}, ${now})
  on conflict (provider_id, user_id) do update set subject = excluded.subject, created_at = excluded.created_at`

/** The roles of these ids that the organization has, and whether the user holds them. */
export const listRoles = (tx: Tx, orgId: string, userId: string, ids: readonly string[]) => tx<
  { id: string; permissions: Permission[]; held: boolean }[]
>`
  select r.id, r.permissions, ur.user_id is not null as held
  from organization.roles r
  left join organization.user_roles ur on ur.role_id = r.id and ur.user_id = ${userId}
  where r.org_id = ${orgId} and r.id = any(${[...ids]}) order by r.id`

interface NewCode {
  codeHash: Uint8Array
  orgId: string
  providerId: string
  userId: string
  sessionVersion: number
  browserHash: Uint8Array
  expiresAt: string
}

export const insertCode = (tx: Tx, code: NewCode, now: string) => tx`
  insert into organization.sso_codes
    (code_hash, org_id, provider_id, user_id, session_version, browser_hash, created_at, expires_at)
  values (${Buffer.from(code.codeHash)}, ${code.orgId}, ${code.providerId}, ${code.userId}, ${code.sessionVersion},
    ${Buffer.from(code.browserHash)}, ${now}, ${code.expiresAt})`

/** The result of a test, unless the provider became another one meanwhile. */
export const recordTest = (
  sql: Sql,
  { org_id: orgId, id, version }: ProviderRow,
  { email, problem }: { email: string | undefined; problem: string | undefined },
  now: string,
) => sql`
  update organization.identity_providers
  set tested_at = ${now}, test_email = ${email ?? null}, test_problem = ${problem ?? null}
  where org_id = ${orgId} and id = ${id} and version = ${version}`
