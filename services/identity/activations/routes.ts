import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/identity/accounts.ts'
import type { Http } from '../../kit/http/http.ts'
import type { PasswordDeps } from '../passwords/commands.ts'
import { introspectActivation, redeemActivation } from './commands.ts'

export const activationRoutes = ({ http, ...deps }: PasswordDeps & { http: Http }) =>
  new Elysia({ name: 'identity.activations' })
    .use(http.publicRoute(operations.introspectActivation, ({ body }) => introspectActivation(deps, body.token)))
    .use(
      http.publicRoute(operations.redeemActivation, async ({ body, auditContext, request }) => {
        await redeemActivation(deps, body, auditContext, request.signal)
        return undefined
      }),
    )
