import { Elysia } from 'elysia'
import { getMe } from '../../../proto/http/organization/me.ts'
import type { User } from '../../../proto/http/organization/users.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { RequestReads } from '../../kit/limits/request-reads.ts'
import { toOrg } from '../organizations/commands.ts'
import { findOrganizations } from '../organizations/queries.ts'
import { findGrant, findOwnUser } from './queries.ts'

export const meRoutes = ({ http }: { http: Http }) =>
  new Elysia({ name: 'organization.me' }).use(
    http.route(getMe, async ({ caller, read }) => {
      const { orgId, userId, permissions, act } = caller
      const { document, is_service_account } = found(await read((sql) => findOwnUser(sql, orgId, userId)))
      return {
        user: JSON.parse(document) as User,
        serviceAccount: is_service_account,
        organization: toOrg(found(await read((sql) => findOrganizations(sql, caller, [orgId])))),
        permissions: [...permissions].sort(),
        ...(act ? { impersonation: await impersonationOf(read, orgId, act.grantId) } : {}),
      }
    }),
  )

async function impersonationOf(read: RequestReads['read'], orgId: string, grantId: string) {
  const { acting_email, reason, expires_at } = found(await read((sql) => findGrant(sql, orgId, grantId)))
  return { grantId, actingEmail: acting_email, reason, expireTime: expires_at }
}
