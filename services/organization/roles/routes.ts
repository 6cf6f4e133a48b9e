import { Elysia } from 'elysia'
import {
  createRole,
  deleteRole,
  getRole,
  grantRole,
  listRoles,
  patchRole,
  withdrawRole,
} from '../../../proto/http/organization/roles.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as assignments from '../role-assignments/commands.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

type Deps = commands.CommandDeps & { http: Http; pagination: Pagination; sql: Pool }

export const roleRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.roles' })
    .use(
      http.route(listRoles, ({ caller, query }) => {
        const { userId } = query
        if (userId !== undefined && userId !== caller.userId && !caller.permissions.has('org:admin')) {
          throw refuse('forbidden', { detail: 'The roles of another user need the permission org:admin.' })
        }
        return pagination.page(
          { caller, list: 'roles', query },
          (window) => queries.listRoles(deps.sql, caller.orgId, query, window),
          positionOfName,
        )
      }),
    )
    .use(
      http.route(getRole, async ({ caller, params }) =>
        found(await queries.findRole(deps.sql, caller.orgId, params.id)),
      ),
    )
    .use(http.route(createRole, (call) => commands.createRoleOnce(deps, call)))
    .use(http.route(patchRole, ({ params, ...call }) => commands.patchRole({ ...call, id: params.id })))
    .use(http.route(deleteRole, ({ begin, params, audit }) => commands.deleteRole(begin, params.id, audit)))
    .use(
      http.route(grantRole, ({ begin, params, body, audit }) =>
        assignments.grantRole(begin, audit, { roleId: params.id, userId: body.userId }),
      ),
    )
    .use(
      http.route(withdrawRole, ({ begin, params, body, audit }) =>
        assignments.withdrawRole(begin, audit, { roleId: params.id, userId: body.userId }),
      ),
    )
