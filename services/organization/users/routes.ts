import { Elysia } from 'elysia'
import {
  activateUser,
  anonymiseUser,
  createUser,
  deactivateUser,
  getUser,
  listPeople,
  listUsers,
  patchUser,
  resetUserPassword,
} from '../../../proto/http/organization/users.ts'
import type { Pool } from '../../kit/db/client.ts'
import type { ReadOnPool } from '../../kit/db/connections.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import { readUsers } from './list.ts'
import * as lists from './list-queries.ts'
import * as queries from './queries.ts'
import { hasAuthorityFilter, viewerOf } from './rules.ts'
import * as states from './state-changes.ts'

type Deps = commands.LinkDeps & {
  http: Http
  pagination: Pagination
  sql: Pool
  readOnPool: ReadOnPool
  followers: states.UserFollowers
}

export const userRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.users' })
    .use(
      http.route(listUsers, ({ caller, query }) => {
        if (hasAuthorityFilter(query) && !viewerOf(caller).seesAll) {
          throw refuse('forbidden', {
            detail: 'The filters admin, permission and roleId need the permission org:admin.',
          })
        }
        return deps.readOnPool((sql) => readUsers({ sql, pagination }, caller, query))
      }),
    )
    .use(
      http.route(listPeople, ({ caller, query }) =>
        deps.readOnPool((sql) =>
          pagination.json({ caller, list: 'people', query }, (window) =>
            lists.listPeople(sql, viewerOf(caller), query, window),
          ),
        ),
      ),
    )
    .use(
      http.route(getUser, async ({ caller, params }) => {
        const { document } = found(
          await deps.readOnPool((sql) => queries.findUserDocument(sql, viewerOf(caller), params.id)),
        )
        return new JsonText(document)
      }),
    )
    .use(http.command(createUser, (call) => commands.createUser(deps, call)))
    .use(http.command(patchUser, commands.patchUser))
    .use(http.command(activateUser, states.activateUser))
    .use(http.command(deactivateUser, (call) => states.deactivateUser(deps, call)))
    .use(http.command(resetUserPassword, (call) => states.resetUserPassword(deps, call)))
    .use(http.command(anonymiseUser, (call) => states.anonymiseUser(deps, call)))
