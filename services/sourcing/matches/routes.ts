import { Elysia } from 'elysia'
import { listRfqMatches } from '../../../proto/http/sourcing/matches.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import type { Pictures } from '../renderings/pictures.ts'
import { findMatches } from './list.ts'
import { findMatchTerms } from './queries.ts'

type Deps = RouteKit & { pictures: Pictures }

export const matchRoutes = ({ http, pagination, pictures }: Deps) =>
  new Elysia({ name: 'sourcing.matches' }).use(
    http.route(listRfqMatches, async (context) => {
      const { caller, params, query, read, now } = context
      const measured = pictures.ofPart(caller.orgId, now)
      const terms = found(await read((sql) => findMatchTerms(sql, caller.orgId, params.id, measured)))
      return pagination.json(context, `matches ${params.id}`, (window, readPage) =>
        findMatches(context, readPage, terms, { ...window, q: query.q }),
      )
    }),
  )
