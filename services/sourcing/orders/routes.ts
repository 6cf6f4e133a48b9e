import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/order-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/orders.ts'
import type { Pool } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { listHistory } from '../history/queries.ts'
import type { PageReads } from '../page-reads.ts'
import { type CommandDeps, changeMilestones, moveOrder, releaseFiles } from './commands.ts'
import { findPage } from './list.ts'
import { findOrder } from './queries.ts'
import { milestoneProblems } from './rules.ts'

type Deps = CommandDeps & PageReads & { http: Http; pagination: Pagination; sql: Pool }

export const orderRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.orders' })
    .use(
      http.route(operations.listOrders, ({ caller, query, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        return pagination.json({ caller, list: 'orders', query }, (window) =>
          findPage(deps, reader, { ...query, ...window }),
        )
      }),
    )
    .use(
      http.route(operations.getOrder, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findOrder(sql, caller.orgId, params.id))
        return new JsonText(found(rows).document)
      }),
    )
    .use(
      http.route(operations.listOrderHistory, async ({ caller, params: { id }, query }) => {
        found(await deps.reads.query((sql) => findOrder(sql, caller.orgId, id)))
        return pagination.json({ caller, list: `history ${id}`, query }, (window) => listHistory(deps.sql, id, window))
      }),
    )
    .use(http.route(lifecycle.confirmOrder, (call) => moveOrder(deps, 'confirm', call)))
    .use(http.route(lifecycle.declineOrder, (call) => moveOrder(deps, 'decline', call, call.body)))
    .use(http.route(lifecycle.startOrder, (call) => moveOrder(deps, 'start', call)))
    .use(http.route(lifecycle.inspectOrder, (call) => moveOrder(deps, 'inspect', call)))
    .use(http.route(lifecycle.reworkOrder, (call) => moveOrder(deps, 'rework', call, call.body)))
    .use(http.route(lifecycle.shipOrder, (call) => moveOrder(deps, 'ship', call, call.body)))
    .use(http.route(lifecycle.deliverOrder, (call) => moveOrder(deps, 'deliver', call)))
    .use(http.route(lifecycle.completeOrder, (call) => moveOrder(deps, 'complete', call)))
    .use(http.route(lifecycle.cancelOrder, (call) => moveOrder(deps, 'cancel', call, call.body)))
    .use(http.route(lifecycle.holdOrder, (call) => moveOrder(deps, 'hold', call, call.body)))
    .use(http.route(lifecycle.resumeOrder, (call) => moveOrder(deps, 'resume', call)))
    .use(http.route(lifecycle.replaceOrderMilestones, (call) => changeMilestones(deps, call), milestoneProblems))
    .use(http.route(lifecycle.releaseOrderFiles, (call) => releaseFiles(deps, call)))
