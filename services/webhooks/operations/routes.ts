import { Elysia } from 'elysia'
import type { FieldError } from '../../../proto/errors.ts'
import type { Period } from '../../../proto/http/times.ts'
import * as operations from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { Pool } from '../../kit/db/client.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { withoutNulls } from '../deliveries/rules.ts'
import { replayEvents } from '../replays/commands.ts'
import { findReplay } from '../replays/queries.ts'
import * as commands from './commands.ts'
import { findHealth } from './queries.ts'

interface Deps {
  http: Http
  sql: Pool
  box: SecretBox
}

const periodProblems = ({ from, to }: Period): FieldError[] =>
  Date.parse(from) <= Date.parse(to) ? [] : [{ field: 'to', message: 'must not be before from' }]

export const endpointOperationRoutes = ({ http, ...deps }: Deps) =>
  new Elysia({ name: 'webhooks.endpoint-operations' })
    .use(
      http.route(operations.getWebhookEndpointHealth, async ({ caller, params, now }) => {
        const health = withoutNulls(found(await findHealth(deps.sql, caller.orgId, params.id, now)))
        const [replay] = await findReplay(deps.sql, caller.orgId, params.id)
        return replay ? { ...health, replay: withoutNulls(replay) } : health
      }),
    )
    .use(http.command(operations.replayWebhookEvents, replayEvents, { checkBody: periodProblems }))
    .use(http.command(operations.testWebhookEndpoint, commands.testEndpoint))
    .use(http.command(operations.rotateWebhookSecret, (call) => commands.rotateSecret(deps, call)))
