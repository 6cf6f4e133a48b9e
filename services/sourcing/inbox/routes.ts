import { Elysia } from 'elysia'
import { listInbox } from '../../../proto/http/sourcing/inbox.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { listItems } from './queries.ts'
import { sourcesFor } from './sources.ts'

export const inboxRoutes = ({ http, pagination }: RouteKit) =>
  new Elysia({ name: 'sourcing.inbox' }).use(
    http.route(listInbox, (context) => {
      const { caller, query } = context
      const sources = sourcesFor(caller.permissions, query.kind)
      return pagination.json(context, { name: 'inbox', isMerged: true }, async (window, read) =>
        sources.length === 0 ? [] : read((sql) => listItems(sql, caller, sources, window)),
      )
    }),
  )
