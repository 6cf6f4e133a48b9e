import {
  createRole,
  deleteRole,
  getRole,
  grantRole,
  listRoles,
  patchRole,
  withdrawRole,
} from '../../../proto/http/organization/roles.ts'
import { found, refuse } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as holders from '../role-holders/commands.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

type Deps = commands.CommandDeps & { http: Http; pagination: Pagination }

export const roleRoutes = ({ http, pagination, ...deps }: Deps) =>
  http
    .routes()
    .on(listRoles, ({ caller, query }) => {
      const { userId } = query
      if (userId !== undefined && userId !== caller.userId && !caller.permissions.has('org:admin')) {
        throw refuse('forbidden', { detail: 'The roles of another user need the permission org:admin.' })
      }
      return pagination.page(
        { caller, list: 'roles', query },
        (window) => queries.listRoles(deps.sql, caller.orgId, query, window),
        positionOfName,
      )
    })
    .on(getRole, async ({ caller, params }) => found(await queries.findRole(deps.sql, caller.orgId, params.id)))
    .on(createRole, (call) => commands.createRoleOnce(deps, call))
    .on(patchRole, ({ params, ...call }) => commands.patchRole(deps, { ...call, id: params.id }))
    .on(deleteRole, ({ caller, params, trail }) => commands.deleteRole(deps, caller, params.id, trail))
    .on(grantRole, ({ caller, params, body, trail }) =>
      holders.grantRole(deps.sql, caller, trail, { roleId: params.id, userId: body.userId }),
    )
    .on(withdrawRole, ({ caller, params, body, trail }) =>
      holders.withdrawRole(deps.sql, caller, trail, { roleId: params.id, userId: body.userId }),
    )
