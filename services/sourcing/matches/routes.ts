import { Elysia } from 'elysia'
import { listRfqMatches } from '../../../proto/http/sourcing/matches.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { PageReads } from '../../kit/pagination/page-reads.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { findMatches } from './list.ts'
import { findMatchTerms } from './queries.ts'

type Deps = PageReads & { http: Http; pagination: Pagination }

export const matchRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.matches' }).use(
    http.route(listRfqMatches, async ({ caller, params, query, request }) => {
      const terms = found(await deps.reads.query((sql) => findMatchTerms(sql, caller.orgId, params.id)))
      const reader = { orgId: caller.orgId, signal: request.signal }
      const paged = { caller, list: `matches ${params.id}`, query }
      return pagination.json(paged, (window) => findMatches(deps, reader, terms, window))
    }),
  )
