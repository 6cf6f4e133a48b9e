import { Elysia } from 'elysia'
import { testIdentityProvider } from '../../../proto/http/organization/identity-providers.ts'
import * as operations from '../../../proto/http/organization/sso.ts'
import type { Http } from '../../kit/http/http.ts'
import * as commands from './commands.ts'

type Deps = commands.SsoDeps & { http: Http; now: () => string }

export const ssoRoutes = ({ http, now, ...deps }: Deps) =>
  new Elysia({ name: 'organization.sso' })
    .use(
      http.publicRoute(operations.startSso, ({ body, auditContext, request }) =>
        commands.start(deps, body.email, { ipAddress: auditContext.ipAddress, signal: request.signal }, now()),
      ),
    )
    .use(
      http.publicRoute(operations.ssoCallback, ({ params, request, auditContext }) =>
        commands.finish(deps, { providerId: params.id, request, auditContext, now }),
      ),
    )
    .use(
      http.preparedCommand(testIdentityProvider, {
        prepare: (call) => commands.prepareTest(deps, call),
        run: (call) => commands.test(deps, call),
      }),
    )
