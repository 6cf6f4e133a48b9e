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
import { JsonText } from '../../kit/http/json.ts'
import { notFound, refuse } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import type { Pages } from '../../kit/pages/pages.ts'
import * as states from '../user-states/commands.ts'
import * as commands from './commands.ts'
import * as queries from './queries.ts'
import { asksForAuthority, onlyHeld, viewerOf } from './rules.ts'

export const userRoutes = ({ http, pages, ...deps }: commands.CommandDeps & { http: Http; pages: Pages }) =>
  http
    .routes()
    .on(listUsers, ({ caller, query }) => {
      const viewer = viewerOf(caller)
      if (asksForAuthority(query) && !viewer.seesAll) {
        throw refuse('forbidden', { detail: 'The filters admin, permission and roleId need the permission org:admin.' })
      }
      const held = onlyHeld(query)
      return pages.read({ caller, list: 'users', query }, (window) =>
        held
          ? queries.listHolders(deps.sql, viewer, held, window)
          : queries.listUsers(deps.sql, viewer, { ...query, ...window }),
      )
    })
    .on(getUser, async ({ caller, params }) => {
      const [user] = await queries.findUserDocument(deps.sql, viewerOf(caller), params.id)
      if (!user) throw notFound()
      return new JsonText(user.document)
    })
    .on(createUser, (call) => commands.createUserOnce(deps, call))
    .on(patchUser, ({ params, ...call }) => commands.patchUser(deps, { ...call, id: params.id }))
    .on(activateUser, (call) => states.activateUser(deps, call))
    .on(deactivateUser, (call) => states.deactivateUser(deps, call))
    .on(resetUserPassword, (call) => states.resetUserPassword(deps, call))
    .on(anonymiseUser, (call) => states.anonymiseUser(deps, call))
