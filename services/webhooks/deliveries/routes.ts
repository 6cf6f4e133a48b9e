import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/webhooks/deliveries.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import { positionOfTime } from '../../kit/pagination/keysets.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { retryDelivery } from './commands.ts'
import { findDelivery, listAttempts, listDeliveries } from './list-queries.ts'

export const deliveryRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'webhooks.deliveries' })
    .use(
      http.route(operations.listWebhookDeliveries, (context) => {
        const { caller, query } = context
        return pagination.items(
          context,
          { name: 'webhookDeliveries', isMerged: true },
          (window, read) => read((sql) => listDeliveries(sql, caller.orgId, query, window)),
          ({ createdTime, id }) => positionOfTime({ timestamp: createdTime, id }),
        )
      }),
    )
    .use(
      http.route(operations.getWebhookDelivery, async ({ caller, params, read }) =>
        withoutNulls(found(await read((sql) => findDelivery(sql, caller.orgId, params.id)))),
      ),
    )
    .use(
      http.route(operations.listWebhookAttempts, async (context) => {
        const { caller, params, read } = context
        const { id } = found(await read((sql) => findDelivery(sql, caller.orgId, params.id)))
        return pagination.items(
          context,
          { name: `attempts ${id}`, isMerged: true },
          (window, readPage) => readPage((sql) => listAttempts(sql, id, window)),
          ({ number }) => String(number),
        )
      }),
    )
    .use(http.command(operations.retryWebhookDelivery, retryDelivery))
