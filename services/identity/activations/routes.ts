import { Elysia } from 'elysia'
import { redeemActivation } from '../../../proto/http/identity/accounts.ts'
import type { Http } from '../../kit/http/http.ts'
import type { PasswordDeps } from '../passwords/commands.ts'
import { redeemActivation as redeem } from './commands.ts'

export const activationRoutes = ({ http, ...deps }: PasswordDeps & { http: Http }) =>
  new Elysia({ name: 'identity.activations' }).use(
    http.publicRoute(redeemActivation, async ({ body, audit, request }) => {
      await redeem(deps, body, audit, request.signal)
      return undefined
    }),
  )
