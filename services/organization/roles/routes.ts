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
import { found, refuse } from '../../kit/errors/refusal.ts'
import { positionOfName } from '../../kit/pagination/keysets.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'

export const roleRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'organization.roles' })
    .use(
      http.route(listRoles, (context) => {
        const { caller, query } = context
        const { userId } = query
        if (userId !== undefined && userId !== caller.userId && !caller.permissions.has('org:admin')) {
          throw refuse('forbidden', { detail: 'The roles of another user need the permission org:admin.' })
        }
        return pagination.page(
          context,
          'roles',
          (window, read) => read((sql) => queries.listRoles(sql, caller.orgId, query, window)),
          positionOfName,
        )
      }),
    )
    .use(
      http.route(getRole, async ({ caller, params, read }) =>
        found(await read((sql) => queries.findRole(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.command(createRole, commands.createRole))
    .use(http.command(patchRole, commands.patchRole))
    .use(http.command(deleteRole, commands.deleteRole))
    .use(http.command(grantRole, commands.grantRole))
    .use(http.command(withdrawRole, commands.withdrawRole))
