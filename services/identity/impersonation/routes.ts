import {
  createImpersonationGrant,
  getImpersonationGrant,
  listImpersonationGrants,
  redeemImpersonationGrant,
  revokeImpersonationGrant,
} from '../../../proto/http/identity/impersonation.ts'
import { found } from '../../kit/errors/refusal.ts'
import { pageOf, windowOf } from '../../kit/http/pages.ts'
import type { Http } from '../../kit/http/server.ts'
import { createGrant, grantOf, type ImpersonationDeps, redeemGrant, revokeGrant } from './commands.ts'
import { findGrant, listGrants } from './queries.ts'

export const impersonationRoutes = ({ http, ...deps }: ImpersonationDeps & { http: Http }) => {
  const { sql } = deps.tokens
  return http
    .routes()
    .on(createImpersonationGrant, (call) => createGrant(deps, call))
    .on(listImpersonationGrants, async ({ caller, query }) =>
      pageOf((await listGrants(sql, caller.orgId, windowOf(query))).map(grantOf), query),
    )
    .on(getImpersonationGrant, async ({ caller, params }) =>
      grantOf(found(await findGrant(sql, caller.orgId, params.id))),
    )
    .open(redeemImpersonationGrant, ({ body, audit }) => redeemGrant(deps, body.token, audit))
    .on(revokeImpersonationGrant, ({ caller, params, audit }) => revokeGrant(deps, caller, params.id, audit))
}
