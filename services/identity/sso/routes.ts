import { Elysia } from 'elysia'
import { exchangeSsoCode } from '../../../proto/http/identity/sso.ts'
import { browserTokenOf } from '../../kit/http/browser-cookie.ts'
import type { Http } from '../../kit/http/http.ts'
import type { CountSignIn } from '../tokens/metrics.ts'
import type { TokenDeps } from '../tokens/open-session.ts'
import { exchangeCode } from './commands.ts'

interface Deps {
  http: Http
  tokens: TokenDeps
  countSignIn: CountSignIn
  publicUrl: string
}

export const ssoRoutes = ({ http, tokens, countSignIn, publicUrl }: Deps) =>
  new Elysia({ name: 'identity.sso' }).use(
    http.publicRoute(exchangeSsoCode, ({ body, request, auditContext }) =>
      countSignIn('sso', () =>
        exchangeCode(tokens, { code: body.code, browserToken: browserTokenOf(request, publicUrl), auditContext }),
      ),
    ),
  )
