import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/sales-agreements.ts'
import { documentOf } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { findOwnRfq } from '../rfqs/queries.ts'
import * as commands from './commands.ts'
import { findAgreement, listAgreements, listSellers } from './queries.ts'
import { partyProblems } from './rules.ts'

export const salesAgreementRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'sourcing.sales-agreements' })
    .use(
      http.route(operations.listSalesAgreements, (context) =>
        pagination.ofCaller(context, 'sales agreements', listAgreements),
      ),
    )
    .use(
      http.route(operations.getSalesAgreement, async ({ caller, params, read }) =>
        documentOf(await read((sql) => findAgreement(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.command(operations.createSalesAgreement, commands.createAgreement, { checkBody: partyProblems }))
    .use(http.command(operations.acceptSalesAgreement, commands.acceptAgreement))
    .use(http.command(operations.endSalesAgreement, commands.endAgreement))
    .use(
      http.route(operations.listRfqSellers, async ({ caller, params, read }) => {
        found(await read((sql) => findOwnRfq(sql, caller.orgId, params.id)))
        return { items: await read((sql) => listSellers(sql, params.id)) }
      }),
    )
