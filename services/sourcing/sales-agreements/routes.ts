import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/sales-agreements.ts'
import { documentOf } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { findOwnRfq } from '../rfqs/queries.ts'
import * as commands from './commands.ts'
import { findAgreement, listAgreements, listSellers } from './queries.ts'
import { partyProblems } from './rules.ts'

type Deps = { http: Http; pagination: Pagination }

export const salesAgreementRoutes = ({ http, pagination }: Deps) =>
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
