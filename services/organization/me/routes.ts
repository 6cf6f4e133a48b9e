import { Elysia } from 'elysia'
import { getMe } from '../../../proto/http/organization/me.ts'
import type { User } from '../../../proto/http/organization/users.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { toOrg } from '../organizations/commands.ts'
import { findOrganizations } from '../organizations/queries.ts'
import { findGrant, findOwnUser } from './queries.ts'

export const meRoutes = ({ http, sql }: { http: Http; sql: Pool }) =>
  new Elysia({ name: 'organization.me' }).use(
    http.route(getMe, async ({ caller }) => {
      const { orgId, userId, permissions, act } = caller
      const { document, is_service_account } = found(await findOwnUser(sql, orgId, userId))
      return {
        user: JSON.parse(document) as User,
        serviceAccount: is_service_account,
        organization: toOrg(found(await findOrganizations(sql, caller, [orgId]))),
        permissions: [...permissions].sort(),
        ...(act ? { impersonation: await impersonationOf(sql, orgId, act.grantId) } : {}),
      }
    }),
  )

async function impersonationOf(sql: Pool, orgId: string, grantId: string) {
  const { acting_email, reason, expires_at } = found(await findGrant(sql, orgId, grantId))
  return { grantId, actingEmail: acting_email, reason, expireTime: expires_at }
}
