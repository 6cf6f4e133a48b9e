import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/rfq-confidentiality.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import { findRfq } from '../rfqs/queries.ts'
import * as commands from './commands.ts'
import { listAcceptances } from './queries.ts'

type Deps = RfqDeps & RouteKit

export const confidentialityRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.confidentiality' })
    .use(
      http.route(operations.listRfqAcceptances, (context) =>
        pagination.ofRecord(context, 'acceptances', findRfq, (sql, rfqId, window) =>
          listAcceptances(sql, { orgId: context.caller.orgId, rfqId, now: context.now }, window),
        ),
      ),
    )
    .use(http.command(operations.acceptRfqTerms, (call) => commands.acceptTerms(deps, call)))
    .use(http.command(operations.releaseRfqFiles, (call) => commands.releaseFiles(deps, call)))
    .use(http.command(operations.withdrawRfqFiles, (call) => commands.withdrawFiles(deps, call)))
