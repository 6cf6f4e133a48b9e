import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/offer-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/offers.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { PageReads } from '../../kit/pagination/page-reads.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import * as commands from './commands.ts'
import { findPage } from './list.ts'
import { findOffer } from './queries.ts'
import { priceBreakProblems } from './rules.ts'

type Deps = PageReads & RfqDeps & { http: Http; pagination: Pagination }

export const offerRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.offers' })
    .use(
      http.route(operations.listOffers, ({ caller, query, request }) => {
        const reader = { orgId: caller.orgId, signal: request.signal }
        const paged = { caller, list: 'offers', query }
        return pagination.json(paged, (window) => findPage(deps, reader, { ...query, ...window }))
      }),
    )
    .use(
      http.route(operations.getOffer, async ({ caller, params }) => {
        const { document } = found(await deps.reads.query((sql) => findOffer(sql, caller.orgId, params.id)))
        return new JsonText(document)
      }),
    )
    .use(http.command(lifecycle.createOffer, commands.createOffer, { checkBody: priceBreakProblems }))
    .use(http.command(lifecycle.patchOffer, commands.patchOffer, { checkBody: priceBreakProblems }))
    .use(http.command(lifecycle.submitOffer, (call) => commands.submitOffer(deps, call)))
    .use(http.command(lifecycle.reviseOffer, commands.reviseOffer))
    .use(http.command(lifecycle.withdrawOffer, (call) => commands.endOffer('withdraw', deps, call)))
    .use(http.command(lifecycle.rejectOffer, (call) => commands.endOffer('reject', deps, call)))
