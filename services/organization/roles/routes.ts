import {
  createRole,
  deleteRole,
  getRole,
  grantRole,
  listRoles,
  patchRole,
  withdrawRole,
} from '../../../proto/http/organization/roles.ts'
import { pageOf, windowOf } from '../../kit/http/pages.ts'
import { found, refuse } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import * as holders from '../role-holders/commands.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

export const roleRoutes = ({ http, ...deps }: commands.CommandDeps & { http: Http }) =>
  http
    .routes()
    .on(listRoles, async ({ caller, query }) => {
      const { userId } = query
      if (userId !== undefined && userId !== caller.userId && !caller.permissions.has('org:admin')) {
        throw refuse('forbidden', { detail: "Somebody else's roles need the permission org:admin." })
      }
      return pageOf(await queries.listRoles(deps.sql, caller.orgId, { ...query, ...windowOf(query) }), query)
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
