import { Elysia } from 'elysia'
import { changePassword } from '../../../proto/http/identity/accounts.ts'
import type { Http } from '../../kit/http/http.ts'
import { changePassword as change, hashPasswords, type PasswordDeps } from './commands.ts'

export const passwordRoutes = ({ http, ...deps }: PasswordDeps & { http: Http }) =>
  new Elysia({ name: 'identity.passwords' }).use(
    http.preparedCommand(changePassword, { prepare: (call) => hashPasswords(deps, call), run: change }),
  )
