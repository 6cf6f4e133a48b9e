import { changePassword } from '../../../proto/http/identity/accounts.ts'
import type { Http } from '../../kit/http/server.ts'
import { changePassword as change, type PasswordDeps } from './commands.ts'

export const passwordRoutes = ({ http, ...deps }: PasswordDeps & { http: Http }) =>
  http.routes().on(changePassword, async ({ caller, body, audit }) => {
    await change(deps, caller, body, audit)
    return undefined
  })
