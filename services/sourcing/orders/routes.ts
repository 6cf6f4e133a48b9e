import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/order-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/orders.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { listHistory } from '../history/queries.ts'
import { picturedRecord, picturedRecords } from '../renderings/documents.ts'
import type { Pictures } from '../renderings/pictures.ts'
import { changeMilestones, moveOrder, releaseFiles } from './commands.ts'
import type { OrderDeps } from './followers.ts'
import { findPage } from './list.ts'
import { findOrder, findPicturedOrder } from './queries.ts'

type Deps = OrderDeps & RouteKit & { pictures: Pictures }

export const orderRoutes = ({ http, pagination, pictures, ...deps }: Deps) => {
  const pageOfOrders = (context: CallerContext<typeof lifecycle.findOrders>) =>
    pagination.json(context, 'orders', async (window, read) =>
      picturedRecords(await findPage(context, read, { ...context.query, ...window }), {
        pictures,
        reader: context,
      }),
    )
  return new Elysia({ name: 'sourcing.orders' })
    .use(http.route(operations.listOrders, (context) => pageOfOrders(context)))
    .use(http.route(lifecycle.findOrders, (context) => pageOfOrders(context)))
    .use(
      http.route(operations.getOrder, async (context) => {
        const { caller, params, read } = context
        const rows = await read((sql) => findPicturedOrder(sql, caller.orgId, params.id))
        return picturedRecord(found(rows), { pictures, reader: context })
      }),
    )
    .use(
      http.route(operations.listOrderHistory, (context) =>
        pagination.ofRecord(context, 'history', findOrder, listHistory),
      ),
    )
    .use(http.command(lifecycle.confirmOrder, (call) => moveOrder('confirm', deps, call)))
    .use(http.command(lifecycle.declineOrder, (call) => moveOrder('decline', deps, call)))
    .use(http.command(lifecycle.startOrder, (call) => moveOrder('start', deps, call)))
    .use(http.command(lifecycle.inspectOrder, (call) => moveOrder('inspect', deps, call)))
    .use(http.command(lifecycle.reworkOrder, (call) => moveOrder('rework', deps, call)))
    .use(http.command(lifecycle.cancelOrder, (call) => moveOrder('cancel', deps, call)))
    .use(http.command(lifecycle.holdOrder, (call) => moveOrder('hold', deps, call)))
    .use(http.command(lifecycle.resumeOrder, (call) => moveOrder('resume', deps, call)))
    .use(http.command(lifecycle.replaceOrderMilestones, (call) => changeMilestones(deps, call)))
    .use(http.command(lifecycle.releaseOrderFiles, (call) => releaseFiles(deps, call)))
}
