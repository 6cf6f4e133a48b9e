import { Elysia } from 'elysia'
import { createPasswordReset } from '../../../proto/http/organization/password-resets.ts'
import type { Http } from '../../kit/http/http.ts'
import { type ResetDeps, requestReset } from './commands.ts'

export const passwordResetRoutes = ({ http, ...deps }: ResetDeps & { http: Http }) =>
  new Elysia({ name: 'organization.password-resets' }).use(
    http.publicRoute(createPasswordReset, ({ body, auditContext, now }) =>
      requestReset(deps, body.email, auditContext, now),
    ),
  )
