import type { IdentityDomain, IdentityProvider } from '../../../proto/http/organization/identity-providers.ts'
import { recordNameOf, recordValueOf } from './domains.ts'
import type { DomainRow, ProviderRow } from './queries.ts'
import { domainStateOf } from './rules.ts'

export const redirectUrlOf = (publicUrl: string, id: string) => `${publicUrl}/flows/v1/sso/callback/${id}`

const domainShape = (row: DomainRow): IdentityDomain => ({
  name: row.domain,
  state: domainStateOf(row),
  recordName: recordNameOf(row.domain),
  recordValue: recordValueOf(row.proof),
  ...(row.proved_at === null ? {} : { provedTime: row.proved_at }),
  ...(row.checked_at === null ? {} : { checkedTime: row.checked_at }),
})

export const providerOf = (row: ProviderRow, domains: readonly DomainRow[], publicUrl: string): IdentityProvider => ({
  id: row.id,
  name: row.name,
  issuer: row.issuer,
  clientId: row.clientId,
  redirectUrl: redirectUrlOf(publicUrl, row.id),
  domains: domains.map(domainShape),
  defaultRoleIds: row.defaultRoleIds,
  ...(row.groupsClaim === null ? {} : { groupRoles: { claim: row.groupsClaim, map: row.groupRoles ?? {} } }),
  enforce: row.enforce,
  ...(row.breakGlassUserId === null ? {} : { breakGlassUserId: row.breakGlassUserId }),
  ...(row.tested_at === null ? {} : { test: testOf(row, row.tested_at) }),
  createdTime: row.created_at,
  updatedTime: row.updated_at,
})

const testOf = ({ test_email: email, test_problem: problem }: ProviderRow, time: string) => ({
  time,
  succeeded: problem === null,
  ...(email === null ? {} : { email }),
  ...(problem === null ? {} : { problem }),
})
