import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/webhooks/endpoints.ts'
import type { AddressPolicy } from '../../kit/addresses/destination.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import * as commands from './commands.ts'
import { findEndpoint, listEndpoints } from './queries.ts'
import { shownEndpoint } from './rules.ts'
import { urlProblems } from './url.ts'

type Deps = commands.CommandDeps & { http: Http; sql: Pool; addresses: AddressPolicy }

export const endpointRoutes = ({ http, addresses, ...deps }: Deps) =>
  new Elysia({ name: 'webhooks.endpoints' })
    .use(
      http.route(operations.listWebhookEndpoints, async ({ caller }) => ({
        data: (await listEndpoints(deps.sql, caller.orgId)).map(shownEndpoint),
      })),
    )
    .use(
      http.route(operations.getWebhookEndpoint, async ({ caller, params }) => ({
        data: shownEndpoint(found(await findEndpoint(deps.sql, caller.orgId, params.webhookId))),
      })),
    )
    .use(
      http.route(
        operations.createWebhookEndpoint,
        (call) => commands.createEndpoint(deps, call),
        (body) => urlProblems(body, addresses),
      ),
    )
    .use(
      http.route(
        operations.patchWebhookEndpoint,
        (call) => commands.patchEndpoint(deps, call),
        (body) => urlProblems(body, addresses),
      ),
    )
    .use(http.route(operations.deleteWebhookEndpoint, (call) => commands.deleteEndpoint(deps, call)))
