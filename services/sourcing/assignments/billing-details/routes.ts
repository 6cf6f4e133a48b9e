import { Elysia } from 'elysia'
import * as operations from '../../../../proto/http/sourcing/billing-details.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import type { PipelinedReads } from '../../../kit/db/pipelined-reads.ts'
import { found } from '../../../kit/errors/refusal.ts'
import type { Http } from '../../../kit/http/http.ts'
import type { Pagination } from '../../../kit/pagination/pagination.ts'
import { addressProblems } from '../../regions/regions.ts'
import type { CommandDeps } from '../commands.ts'
import { findAssignment } from '../queries.ts'
import { createBillingDetails, deleteBillingDetails, patchBillingDetails } from './commands.ts'
import { findBillingDetails, listBillingDetails } from './queries.ts'

type Deps = CommandDeps & { http: Http; pagination: Pagination; reads: PipelinedReads }

export const billingDetailsRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.assignments.billing-details' })
    .use(
      http.route(operations.listBillingDetails, async ({ caller, params: { id }, query }) => {
        found(await deps.reads.query((sql) => findAssignment(sql, caller.orgId, id)))
        return pagination.json({ caller, list: `billingDetails ${id}`, query }, (window) =>
          deps.reads.query((sql) => listBillingDetails(sql, id, window)),
        )
      }),
    )
    .use(
      http.route(operations.getBillingDetails, async ({ caller, params }) => {
        const rows = await deps.reads.query((sql) => findBillingDetails(sql, caller.orgId, params))
        return new JsonText(found(rows).document)
      }),
    )
    .use(http.route(operations.createBillingDetails, (call) => createBillingDetails(deps, call), addressProblems))
    .use(http.route(operations.patchBillingDetails, (call) => patchBillingDetails(deps, call), addressProblems))
    .use(http.route(operations.deleteBillingDetails, (call) => deleteBillingDetails(call)))
