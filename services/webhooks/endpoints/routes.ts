import { Elysia } from 'elysia'
import { rotateWebhookSecret } from '../../../proto/http/webhooks/endpoint-flows.ts'
import * as operations from '../../../proto/http/webhooks/endpoints.ts'
import type { AddressPolicy } from '../../kit/addresses/destination.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import * as commands from './commands.ts'
import { findEndpoint, listEndpoints } from './queries.ts'
import { urlProblems } from './url.ts'

type Deps = commands.EndpointDeps & { http: Http; addresses: AddressPolicy }

export const endpointRoutes = ({ http, addresses, ...deps }: Deps) =>
  new Elysia({ name: 'webhooks.endpoints' })
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
    .use(
      http.command(operations.createWebhookEndpoint, (call) => commands.createEndpoint(deps, call), {
        checkBody: (body) => urlProblems(body, addresses),
      }),
    )
    .use(
      http.command(operations.patchWebhookEndpoint, (call) => commands.patchEndpoint(deps, call), {
        checkBody: (body) => urlProblems(body, addresses),
      }),
    )
    .use(http.command(operations.deleteWebhookEndpoint, (call) => commands.deleteEndpoint(deps, call)))
    .use(http.command(rotateWebhookSecret, (call) => commands.rotateSecret(deps, call)))
