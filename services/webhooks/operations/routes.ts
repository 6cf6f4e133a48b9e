import { Elysia } from 'elysia'
import type { FieldError } from '../../../proto/errors.ts'
import type { Period } from '../../../proto/http/times.ts'
import * as operations from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { withoutNulls } from '../deliveries/rules.ts'
import { replayEvents } from '../replays/commands.ts'
import { findReplay } from '../replays/queries.ts'
import * as commands from './commands.ts'
import { findHealth } from './queries.ts'

type Deps = commands.CommandDeps & { http: Http; sql: Pool }

const periodProblems = ({ from, to }: Period): FieldError[] =>
  Date.parse(from) <= Date.parse(to) ? [] : [{ field: 'to', message: 'must not be before from' }]

export const endpointOperationRoutes = ({ http, ...deps }: Deps) =>
  new Elysia({ name: 'webhooks.endpoint-operations' })
    .use(
      http.route(operations.getWebhookEndpointHealth, async ({ caller, params }) => {
        const now = new Date(deps.clock()).toISOString()
        const health = withoutNulls(found(await findHealth(deps.sql, caller.orgId, params.id, now)))
        const [replay] = await findReplay(deps.sql, caller.orgId, params.id)
        return replay ? { ...health, replay: withoutNulls(replay) } : health
      }),
    )
    .use(http.route(operations.replayWebhookEvents, (call) => replayEvents(deps, call), periodProblems))
    .use(http.route(operations.testWebhookEndpoint, (call) => commands.testEndpoint(deps, call)))
    .use(http.route(operations.rotateWebhookSecret, (call) => commands.rotateSecret(deps, call)))
