import { Elysia } from 'elysia'
import { endSession, listSessions } from '../../../proto/http/identity/accounts.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { endSession as end } from './commands.ts'
import { listSessionsOf, type SessionRow } from './queries.ts'
import { mayManageSessions } from './rules.ts'

interface Deps {
  http: Http
  pagination: Pagination
}

export const sessionRoutes = ({ http, pagination }: Deps) =>
  new Elysia({ name: 'identity.sessions' })
    .use(
      http.route(listSessions, async (context) => {
        const { caller, query, now } = context
        const userId = query.userId ?? caller.userId
        if (!mayManageSessions(caller, userId)) requirePermission(caller, ['user:manage'])
        return pagination.items(
          context,
          `sessions ${userId}`,
          (window, read) => read((sql) => listSessionsOf(sql, { orgId: caller.orgId, userId, now, ...window })),
          (row) => sessionOf(row, caller),
        )
      }),
    )
    .use(http.command(endSession, end))

const sessionOf = (row: SessionRow, { sessionId }: CallerContext<typeof listSessions>['caller']) => ({
  id: row.id,
  createdTime: row.created_at,
  lastUsedTime: row.last_used_at,
  expireTime: row.expires_at,
  ...(row.ip_address === null ? {} : { ipAddress: row.ip_address }),
  ...(row.user_agent === null ? {} : { userAgent: row.user_agent }),
  current: row.id === sessionId,
  ...(row.grant_id === null || row.acting_email === null
    ? {}
    : { impersonation: { grantId: row.grant_id, actingEmail: row.acting_email } }),
})
