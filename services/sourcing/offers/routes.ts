import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/offer-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/offers.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import type { Pagination } from '../../kit/pagination/pagination.ts'
import { picturedRecord, picturedRecords } from '../previews/documents.ts'
import type { PreviewUrls } from '../previews/urls.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import * as commands from './commands.ts'
import { listOffers } from './list-queries.ts'
import { readOffer } from './queries.ts'
import { priceBreakProblems } from './rules.ts'

type Deps = RfqDeps & { http: Http; pagination: Pagination; urls: PreviewUrls }

export const offerRoutes = ({ http, pagination, urls, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.offers' })
    .use(
      http.route(operations.listOffers, (context) =>
        pagination.json(context, 'offers', async (window, read) => {
          const { caller, query, now } = context
          const rows = await read((sql) => listOffers(sql, caller.orgId, { ...query, ...window, now }))
          return picturedRecords(rows, { urls, now })
        }),
      ),
    )
    .use(
      http.route(operations.getOffer, async ({ caller, params, read, now }) =>
        picturedRecord(found(await read((sql) => readOffer(sql, caller.orgId, params.id, now))), { urls, now }),
      ),
    )
    .use(http.command(lifecycle.createOffer, commands.createOffer, { checkBody: priceBreakProblems }))
    .use(http.command(lifecycle.patchOffer, commands.patchOffer, { checkBody: priceBreakProblems }))
    .use(http.command(lifecycle.submitOffer, (call) => commands.submitOffer(deps, call)))
    .use(http.command(lifecycle.reconfirmOffer, (call) => commands.reconfirmOffer(deps, call)))
    .use(http.command(lifecycle.reinstateOffer, (call) => commands.reinstateOffer(deps, call)))
    .use(http.command(lifecycle.reviseOffer, (call) => commands.reviseOffer(deps, call)))
    .use(http.command(lifecycle.withdrawOffer, (call) => commands.endOffer('withdraw', deps, call)))
    .use(http.command(lifecycle.rejectOffer, (call) => commands.endOffer('reject', deps, call)))
