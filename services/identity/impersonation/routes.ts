import {
  createImpersonationGrant,
  getImpersonationGrant,
  listImpersonationGrants,
  redeemImpersonationGrant,
  revokeImpersonationGrant,
} from '../../../proto/http/identity/impersonation.ts'
import { found } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { createGrant, grantOf, type ImpersonationDeps, redeemGrant, revokeGrant } from './commands.ts'
import { findGrant, listGrants } from './queries.ts'

type Deps = ImpersonationDeps & { http: Http; pagination: Pagination }

export const impersonationRoutes = ({ http, pagination, ...deps }: Deps) => {
  const { sql } = deps.tokens
  return http
    .routes()
    .on(createImpersonationGrant, (call) => createGrant(deps, call))
    .on(listImpersonationGrants, async ({ caller, query }) => {
      const { items, hasMore } = await pagination.page(
        { caller, list: 'impersonationGrants', query },
        (window) => listGrants(sql, caller.orgId, window),
        ({ id }) => id,
      )
      return { items: items.map(grantOf), hasMore }
    })
    .on(getImpersonationGrant, async ({ caller, params }) =>
      grantOf(found(await findGrant(sql, caller.orgId, params.id))),
    )
    .open(redeemImpersonationGrant, ({ body, trail }) => redeemGrant(deps, body.token, trail))
    .on(revokeImpersonationGrant, ({ caller, params, trail }) => revokeGrant(deps, caller, params.id, trail))
}
