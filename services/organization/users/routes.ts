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
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import type { Pages } from '../../kit/pages/pages.ts'
import * as states from '../user-states/commands.ts'
import * as commands from './commands.ts'
import { readUsers } from './list/list.ts'
import * as queries from './queries.ts'
import { asksForAuthority, viewerOf } from './rules.ts'

export const userRoutes = ({ http, pages, ...deps }: commands.CommandDeps & { http: Http; pages: Pages }) =>
  http
    .routes()
    .on(listUsers, ({ caller, query }) => {
      if (asksForAuthority(query) && !viewerOf(caller).seesAll) {
        throw refuse('forbidden', { detail: 'The filters admin, permission and roleId need the permission org:admin.' })
      }
      return readUsers({ sql: deps.sql, pages }, caller, query)
    })
    .on(getUser, async ({ caller, params }) => {
      const { document } = found(await queries.findUserDocument(deps.sql, viewerOf(caller), params.id))
      return new JsonText(document)
    })
    .on(createUser, (call) => commands.createUserOnce(deps, call))
    .on(patchUser, ({ params, ...call }) => commands.patchUser(deps, { ...call, id: params.id }))
    .on(activateUser, (call) => states.activateUser(deps, call))
    .on(deactivateUser, (call) => states.deactivateUser(deps, call))
    .on(resetUserPassword, (call) => states.resetUserPassword(deps, call))
    .on(anonymiseUser, (call) => states.anonymiseUser(deps, call))
