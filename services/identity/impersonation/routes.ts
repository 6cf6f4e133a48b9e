import { Elysia } from 'elysia'
import {
  createImpersonationGrant,
  getImpersonationGrant,
  listImpersonationGrants,
  redeemImpersonationGrant,
  revokeImpersonationGrant,
} from '../../../proto/http/identity/impersonation.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { positionOfId } from '../../kit/pagination/keysets.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { TokenDeps } from '../tokens/open-session.ts'
import { createGrant, redeemGrant, revokeGrant } from './commands.ts'
import { findGrant, listGrants } from './queries.ts'

interface Deps {
  http: Http
  pagination: Pagination
  tokens: TokenDeps
  publicUrl: string
}

export const impersonationRoutes = ({ http, pagination, tokens, publicUrl }: Deps) => {
  return new Elysia({ name: 'identity.impersonation' })
    .use(http.command(createImpersonationGrant, (call) => createGrant({ publicUrl }, call)))
    .use(
      http.route(listImpersonationGrants, (context) =>
        pagination.items(
          context,
          'impersonationGrants',
          (window, read) => read((sql) => listGrants(sql, context.caller.orgId, window)),
          positionOfId,
        ),
      ),
    )
    .use(
      http.route(getImpersonationGrant, async ({ caller, params, read }) =>
        withoutNulls(found(await read((sql) => findGrant(sql, caller.orgId, params.id)))),
      ),
    )
    .use(
      http.publicRoute(redeemImpersonationGrant, ({ body, auditContext }) =>
        redeemGrant(tokens, body.token, auditContext),
      ),
    )
    .use(http.command(revokeImpersonationGrant, revokeGrant))
}
