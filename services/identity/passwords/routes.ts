import { Elysia } from 'elysia'
import { changePassword } from '../../../proto/http/identity/accounts.ts'
import type { Http } from '../../kit/http/http.ts'
import { changePassword as change, type PasswordDeps } from './commands.ts'

export const passwordRoutes = ({ http, ...deps }: PasswordDeps & { http: Http }) =>
  new Elysia({ name: 'identity.passwords' }).use(
    http.route(changePassword, async ({ caller, body, audit }) => {
      await change(deps, caller, body, audit)
      return undefined
    }),
  )
