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
  resetUserPasskeys,
  resetUserPassword,
} from '../../../proto/http/organization/users.ts'
import { emailProblems } from '../../kit/addresses/email-addresses.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import * as commands from './commands.ts'
import { findUsers } from './list.ts'
import * as lists from './list-queries.ts'
import * as queries from './queries.ts'
import { hasAuthorityFilter, viewerOf } from './rules.ts'
import * as states from './state-changes.ts'

type Deps = commands.LinkDeps & {
  http: Http
  pagination: Pagination
  followers: states.UserFollowers
}

const checkBody = ({ email }: { email?: string | undefined }) => emailProblems(email, 'email')

export const userRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'organization.users' })
    .use(
      http.route(listUsers, (context) => {
        const { caller, query } = context
        const viewer = viewerOf(caller)
        if (hasAuthorityFilter(query) && !viewer.seesAll) {
          throw refuse('forbidden', {
            detail: 'The filters admin, permission and roleId need the permission org:admin.',
          })
        }
        return pagination.json(context, 'users', (window, read) => findUsers(context, read, viewer, query, window))
      }),
    )
    .use(
      http.route(listPeople, (context) =>
        pagination.json(context, 'people', (window) =>
          context.longRead((sql) => lists.listPeople(sql, viewerOf(context.caller), context.query, window)),
        ),
      ),
    )
    .use(
      http.route(getUser, async ({ caller, params, read }) => {
        const { document } = found(await read((sql) => queries.findUserDocument(sql, viewerOf(caller), params.id)))
        return new JsonText(document)
      }),
    )
    .use(http.command(createUser, (call) => commands.createUser(deps, call), { checkBody }))
    .use(http.command(patchUser, commands.patchUser, { checkBody }))
    .use(http.command(activateUser, states.activateUser))
    .use(http.command(deactivateUser, (call) => states.deactivateUser(deps, call)))
    .use(http.command(resetUserPassword, (call) => states.resetUserPassword(deps, call)))
    .use(http.command(resetUserPasskeys, (call) => states.resetUserPasskeys(deps, call)))
    .use(http.command(anonymiseUser, (call) => states.anonymiseUser(deps, call)))
