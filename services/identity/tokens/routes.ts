import { Elysia } from 'elysia'
import { createToken, revokeToken } from '../../../proto/http/identity/tokens.ts'
import type { ReadToken } from '../../kit/auth/tokens.ts'
import { invalid } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { findRevocation, revoke } from '../sessions/commands.ts'
import { refresh, signIn } from './commands.ts'
import type { CountSignIn } from './metrics.ts'
import type { TokenDeps } from './open-session.ts'
import { missingFields } from './rules.ts'

interface Deps {
  http: Http
  readToken: ReadToken
  tokens: TokenDeps
  countSignIn: CountSignIn
}

export const tokenRoutes = ({ http, readToken, tokens, countSignIn }: Deps) =>
  new Elysia({ name: 'identity.tokens' })
    .use(
      http.publicRoute(createToken, ({ body, auditContext, request }) => {
        const missing = missingFields(body)
        if (missing.length > 0) throw invalid(missing)
        const { username = '', password = '', refresh_token = '' } = body
        return body.grant_type === 'password'
          ? countSignIn('password', () => signIn(tokens, { username, password }, auditContext, request.signal))
          : countSignIn('refresh_token', () => refresh(tokens, refresh_token, auditContext))
      }),
    )
    .use(
      http.preparedCommand(revokeToken, {
        prepare: (call) => findRevocation({ sql: tokens.sql, readToken }, call),
        run: revoke,
      }),
    )
