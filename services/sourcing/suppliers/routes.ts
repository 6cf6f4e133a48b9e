import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/suppliers.ts'
import { batchOf } from '../../kit/db/json-text.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { findSuppliers, listSuppliers } from './queries.ts'

/** The figures of a page are computed from thousands of orders. */
export const supplierRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'sourcing.suppliers' })
    .use(
      http.route(operations.listSuppliers, (context) =>
        pagination.json(context, 'suppliers', (window) =>
          context.longRead((sql) => listSuppliers(sql, context.caller.orgId, { ...context.query, ...window })),
        ),
      ),
    )
    .use(
      http.route(operations.batchGetSuppliers, async ({ caller, body, longRead }) =>
        batchOf(body.ids, await longRead((sql) => findSuppliers(sql, caller.orgId, body.ids))),
      ),
    )
