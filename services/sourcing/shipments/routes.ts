import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/shipments.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import type { OrderDeps } from '../orders/followers.ts'
import { findOrder } from '../orders/queries.ts'
import * as commands from './commands.ts'
import { listShipments } from './queries.ts'

type Deps = OrderDeps & RouteKit

export const shipmentRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.shipments' })
    .use(
      http.route(operations.listShipments, (context) =>
        pagination.ofRecord(context, 'shipments', findOrder, listShipments),
      ),
    )
    .use(http.command(operations.createShipment, (call) => commands.createShipment(deps, call)))
    .use(http.command(operations.receiveShipment, (call) => commands.receiveShipment(deps, call)))
    .use(http.command(operations.shipOrder, (call) => commands.shipOrder(deps, call)))
    .use(http.command(operations.deliverOrder, (call) => commands.deliverOrder(deps, call)))
    .use(http.command(operations.completeOrder, (call) => commands.completeOrder(deps, call)))
    .use(http.command(operations.remakeOrder, (call) => commands.remakeOrder(deps, call)))
    .use(http.command(operations.acceptOrderRemake, (call) => commands.acceptRemake(deps, call)))
    .use(http.command(operations.declineOrderRemake, (call) => commands.declineRemake(deps, call)))
