import { Elysia } from 'elysia'
import { endSession, listSessions } from '../../../proto/http/identity/accounts.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { endSession as end } from './commands.ts'
import { listSessionsOf } from './queries.ts'
import { mayManageSessions } from './rules.ts'

export const sessionRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'identity.sessions' })
    .use(
      http.route(listSessions, async (context) => {
        const { caller, query, now } = context
        const userId = query.userId ?? caller.userId
        if (!mayManageSessions(caller, userId)) requirePermission(caller, ['user:manage'])
        return pagination.items(
          context,
          `sessions ${userId}`,
          (window, read) => read((sql) => listSessionsOf(sql, caller, { userId, now, ...window })),
          positionOfId,
        )
      }),
    )
    .use(http.command(endSession, end))
