import { Elysia } from 'elysia'
import { getMe } from '../../../proto/http/organization/me.ts'
import type { User } from '../../../proto/http/organization/users.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
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
        organization: withoutNulls(found(await read((sql) => findOrganizations(sql, caller, [orgId])))),
        permissions: [...permissions].sort(),
        ...(act ? { impersonation: found(await read((sql) => findGrant(sql, orgId, act.grantId))) } : {}),
      }
    }),
  )
