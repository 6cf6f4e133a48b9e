import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/change-requests.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import type { OrderDeps } from '../orders/followers.ts'
import * as commands from './commands.ts'
import { findOrder, listChangeRequests } from './queries.ts'
import { combinationProblems } from './rules.ts'

type Deps = OrderDeps & RouteKit

export const changeRequestRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.change-requests' })
    .use(
      http.route(operations.listChangeRequests, (context) =>
        pagination.ofRecord(context, 'change requests', findOrder, listChangeRequests),
      ),
    )
    .use(
      http.command(operations.createChangeRequest, (call) => commands.createChangeRequest(deps, call), {
        checkBody: combinationProblems,
      }),
    )
    .use(http.command(operations.acceptChangeRequest, (call) => commands.acceptChangeRequest(deps, call)))
    .use(http.command(operations.declineChangeRequest, (call) => commands.declineChangeRequest(deps, call)))
    .use(http.command(operations.withdrawChangeRequest, (call) => commands.withdrawChangeRequest(deps, call)))
