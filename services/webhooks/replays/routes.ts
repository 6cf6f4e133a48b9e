import { Elysia } from 'elysia'
import type { FieldError } from '../../../proto/errors.ts'
import type { Period } from '../../../proto/http/times.ts'
import { getWebhookEndpointHealth, replayWebhookEvents } from '../../../proto/http/webhooks/endpoint-flows.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { findHealth } from '../endpoints/queries.ts'
import { replayEvents } from './commands.ts'
import { findReplay } from './queries.ts'

const periodProblems = ({ from, to }: Period): FieldError[] =>
  Date.parse(from) <= Date.parse(to) ? [] : [{ field: 'to', message: 'must not be before from' }]

export const replayRoutes = ({ http }: { http: Http }) =>
  new Elysia({ name: 'webhooks.replays' })
    .use(
      http.route(getWebhookEndpointHealth, async ({ caller, params, now, read }) => {
        const health = withoutNulls(found(await read((sql) => findHealth(sql, caller.orgId, params.id, now))))
        const [replay] = await read((sql) => findReplay(sql, caller.orgId, params.id))
        return replay ? { ...health, replay: withoutNulls(replay) } : health
      }),
    )
    .use(http.command(replayWebhookEvents, replayEvents, { checkBody: periodProblems }))
