import { Elysia } from 'elysia'
import {
  createImpersonationGrant,
  getImpersonationGrant,
  listImpersonationGrants,
  redeemImpersonationGrant,
  revokeImpersonationGrant,
} from '../../../proto/http/identity/impersonation.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { createGrant, grantOf, type ImpersonationDeps, redeemGrant, revokeGrant } from './commands.ts'
import { findGrant, listGrants } from './queries.ts'

type Deps = ImpersonationDeps & { http: Http; pagination: Pagination }

export const impersonationRoutes = ({ http, pagination, ...deps }: Deps) => {
  const { sql } = deps.tokens
  return new Elysia({ name: 'identity.impersonation' })
    .use(http.route(createImpersonationGrant, (call) => createGrant(deps, call)))
    .use(
      http.route(listImpersonationGrants, async ({ caller, query }) => {
        const { items, hasMore } = await pagination.page(
          { caller, list: 'impersonationGrants', query },
          (window) => listGrants(sql, caller.orgId, window),
          ({ id }) => id,
        )
        return { items: items.map(grantOf), hasMore }
      }),
    )
    .use(
      http.route(getImpersonationGrant, async ({ caller, params }) =>
        grantOf(found(await findGrant(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.publicRoute(redeemImpersonationGrant, ({ body, audit }) => redeemGrant(deps, body.token, audit)))
    .use(http.route(revokeImpersonationGrant, ({ begin, params, audit }) => revokeGrant(deps, begin, params.id, audit)))
}
