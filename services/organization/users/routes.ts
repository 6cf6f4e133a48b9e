import { Elysia } from 'elysia'
import {
  activateUser,
  anonymiseUser,
  createUser,
  deactivateUser,
  getUser,
  listUsers,
  patchUser,
  resetUserPassword,
} from '../../../proto/http/organization/users.ts'
import type { Pool } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as states from '../user-states/commands.ts'
import * as commands from './commands.ts'
import { readUsers } from './list/list.ts'
import * as queries from './queries.ts'
import { hasAuthorityFilter, viewerOf } from './rules.ts'

type Deps = commands.CommandDeps & { http: Http; pagination: Pagination; sql: Pool }

export const userRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.users' })
    .use(
      http.route(listUsers, ({ caller, query }) => {
        if (hasAuthorityFilter(query) && !viewerOf(caller).seesAll) {
          throw refuse('forbidden', {
            detail: 'The filters admin, permission and roleId need the permission org:admin.',
          })
        }
        return readUsers({ sql: deps.sql, pagination }, caller, query)
      }),
    )
    .use(
      http.route(getUser, async ({ caller, params }) => {
        const { document } = found(await queries.findUserDocument(deps.sql, viewerOf(caller), params.id))
        return new JsonText(document)
      }),
    )
    .use(http.route(createUser, (call) => commands.createUserOnce(deps, call)))
    .use(http.route(patchUser, ({ params, ...call }) => commands.patchUser(deps, { ...call, id: params.id })))
    .use(http.route(activateUser, (call) => states.activateUser(deps, call)))
    .use(http.route(deactivateUser, (call) => states.deactivateUser(deps, call)))
    .use(http.route(resetUserPassword, (call) => states.resetUserPassword(deps, call)))
    .use(http.route(anonymiseUser, (call) => states.anonymiseUser(deps, call)))
