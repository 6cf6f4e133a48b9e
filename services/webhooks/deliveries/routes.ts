import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/webhooks/deliveries.ts'
import type { Pool, Sql } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Reader, TenantReads } from '../../kit/limits/tenant-reads.ts'
import { positionOfTime } from '../../kit/pagination/keysets.ts'
import type { PageWindow, Pagination } from '../../kit/pagination/pagination.ts'
import { withoutNulls } from '../rows.ts'
import { retryDelivery } from './commands.ts'
import { findDelivery, listAttempts, listDeliveries } from './list-queries.ts'

interface Deps {
  http: Http
  sql: Pool
  tenantReads: TenantReads
  pagination: Pagination
}

export const deliveryRoutes = ({ http, tenantReads, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'webhooks.deliveries' })
    .use(
      http.route(operations.listWebhookDeliveries, async ({ caller, query, request }) => {
        const { items, hasMore } = await pagination.page(
          { caller, list: 'webhookDeliveries', query },
          (window) =>
            readWindow(tenantReads, { orgId: caller.orgId, signal: request.signal }, window, (sql) =>
              listDeliveries(sql, caller.orgId, query, window),
            ),
          ({ createdTime, id }) => positionOfTime({ timestamp: createdTime, id }),
        )
        return { items: items.map(withoutNulls), hasMore }
      }),
    )
    .use(
      http.route(operations.getWebhookDelivery, async ({ caller, params }) =>
        withoutNulls(found(await findDelivery(deps.sql, caller.orgId, params.id))),
      ),
    )
    .use(
      http.route(operations.listWebhookAttempts, async ({ caller, params, query, request }) => {
        const { id } = found(await findDelivery(deps.sql, caller.orgId, params.id))
        const { items, hasMore } = await pagination.page(
          { caller, list: `attempts ${id}`, query },
          (window) =>
            readWindow(tenantReads, { orgId: caller.orgId, signal: request.signal }, window, (sql) =>
              listAttempts(sql, id, window),
            ),
          ({ number }) => String(number),
        )
        return { items: items.map(withoutNulls), hasMore }
      }),
    )
    .use(http.command(operations.retryWebhookDelivery, retryDelivery))

/** Lists merge up to this many entries of each of their ranges; to skip more is a long read. */
const LONG_OFFSET = 1000

/** Reads a page with a permit of its organization. */
const readWindow = <Rows>(
  tenantReads: TenantReads,
  reader: Reader,
  { offset }: PageWindow,
  read: (sql: Sql) => PromiseLike<Rows>,
) => (offset > LONG_OFFSET ? tenantReads.long(reader, read) : tenantReads.bounded(reader, read))
