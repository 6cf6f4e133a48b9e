import { Elysia } from 'elysia'
import { rotateWebhookSecret } from '../../../proto/http/webhooks/endpoint-flows.ts'
import * as operations from '../../../proto/http/webhooks/endpoints.ts'
import type { AddressGuard } from '../../kit/addresses/guard.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import * as commands from './commands.ts'
import { findEndpoint, listEndpoints } from './queries.ts'

type Deps = commands.EndpointDeps & { http: Http; guard: AddressGuard }

export function endpointRoutes({ http, guard, ...deps }: Deps) {
  /** The problem of a URL to which nothing may be sent. Names are resolved only at each attempt. */
  const checkBody = ({ url }: { url?: string }) => {
    const message = url === undefined ? undefined : guard.problemOf(url)
    return message === undefined ? [] : [{ field: 'url', message }]
  }
  return new Elysia({ name: 'webhooks.endpoints' })
    .use(
      http.route(operations.listWebhookEndpoints, async ({ caller, read }) => ({
        data: (await read((sql) => listEndpoints(sql, caller.orgId))).map(withoutNulls),
      })),
    )
    .use(
      http.route(operations.getWebhookEndpoint, async ({ caller, params, read }) => ({
        data: withoutNulls(found(await read((sql) => findEndpoint(sql, caller.orgId, params.webhookId)))),
      })),
    )
    .use(http.command(operations.createWebhookEndpoint, (call) => commands.createEndpoint(deps, call), { checkBody }))
    .use(http.command(operations.patchWebhookEndpoint, (call) => commands.patchEndpoint(deps, call), { checkBody }))
    .use(http.command(operations.deleteWebhookEndpoint, (call) => commands.deleteEndpoint(deps, call)))
    .use(http.command(rotateWebhookSecret, (call) => commands.rotateSecret(deps, call)))
}
