import { Elysia } from 'elysia'
import { listInbox } from '../../../proto/http/sourcing/inbox.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { listItems } from './queries.ts'
import { sourcesFor } from './sources.ts'

type Deps = { http: Http; pagination: Pagination }

export const inboxRoutes = ({ http, pagination }: Deps) =>
  new Elysia({ name: 'sourcing.inbox' }).use(
    http.route(listInbox, (context) => {
      const { caller, query } = context
      const sources = sourcesFor(caller.permissions, query.kind)
      return pagination.json(context, { name: 'inbox', isMerged: true }, async (window, read) =>
        sources.length === 0 ? [] : read((sql) => listItems(sql, caller, sources, window)),
      )
    }),
  )
