import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/subscriptions.ts'
import { documentOf } from '../../kit/db/json-text.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import * as commands from './commands.ts'
import { findSubscription, listSubscriptions } from './queries.ts'
import { inputProblems } from './rules.ts'

export const subscriptionRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'sourcing.subscriptions' })
    .use(
      http.route(operations.listSubscriptions, (context) =>
        pagination.ofCaller(context, 'subscriptions', listSubscriptions),
      ),
    )
    .use(
      http.route(operations.getSubscription, async ({ caller, params, read }) =>
        documentOf(await read((sql) => findSubscription(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.command(operations.createSubscription, commands.createSubscription, { checkBody: inputProblems }))
    .use(http.command(operations.acceptSubscription, commands.acceptSubscription))
    .use(http.command(operations.declineSubscription, commands.declineSubscription))
    .use(http.command(operations.deleteSubscription, commands.deleteSubscription))
