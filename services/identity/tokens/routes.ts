import { Elysia } from 'elysia'
import { createToken, revokeToken } from '../../../proto/http/identity/tokens.ts'
import type { ReadToken } from '../../kit/auth/tokens.ts'
import type { Http } from '../../kit/http/http.ts'
import { findRevocation, revoke } from '../sessions/commands.ts'
import { type GrantDeps, grantToPerson } from './commands.ts'

type Deps = GrantDeps & { http: Http; readToken: ReadToken }

export const tokenRoutes = ({ http, readToken, ...deps }: Deps) =>
  new Elysia({ name: 'identity.tokens' })
    .use(
      http.publicRoute(createToken, ({ body, auditContext, request }) =>
        grantToPerson(deps, body, auditContext, request.signal),
      ),
    )
    .use(
      http.preparedCommand(revokeToken, {
        prepare: (call) => findRevocation({ sql: deps.tokens.sql, readToken }, call),
        run: revoke,
      }),
    )
