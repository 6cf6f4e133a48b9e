import { Elysia } from 'elysia'
import * as lifecycle from '../../../proto/http/sourcing/offer-lifecycle.ts'
import * as operations from '../../../proto/http/sourcing/offers.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { picturedRecord, picturedRecords } from '../renderings/documents.ts'
import type { Pictures } from '../renderings/pictures.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import * as commands from './commands.ts'
import { listOffers } from './list-queries.ts'
import { findPicturedOffer } from './queries.ts'
import { priceBreakProblems } from './rules.ts'

type Deps = RfqDeps & RouteKit & { pictures: Pictures }

export const offerRoutes = ({ http, pagination, pictures, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.offers' })
    .use(
      http.route(operations.listOffers, (context) =>
        pagination.json(context, 'offers', async (window, read) => {
          const { caller, query } = context
          const rows = await read((sql) => listOffers(sql, caller.orgId, { ...query, ...window }))
          return picturedRecords(rows, { pictures, reader: context })
        }),
      ),
    )
    .use(
      http.route(operations.getOffer, async (context) => {
        const { caller, params, read } = context
        const rows = await read((sql) => findPicturedOffer(sql, caller.orgId, params.id))
        return picturedRecord(found(rows), { pictures, reader: context })
      }),
    )
    .use(http.command(lifecycle.createOffer, commands.createOffer, { checkBody: priceBreakProblems }))
    .use(http.command(lifecycle.patchOffer, commands.patchOffer, { checkBody: priceBreakProblems }))
    .use(http.command(lifecycle.submitOffer, (call) => commands.submitOffer(deps, call)))
    .use(http.command(lifecycle.reconfirmOffer, (call) => commands.reconfirmOffer(deps, call)))
    .use(http.command(lifecycle.reinstateOffer, (call) => commands.reinstateOffer(deps, call)))
    .use(http.command(lifecycle.reviseOffer, (call) => commands.reviseOffer(deps, call)))
    .use(http.command(lifecycle.withdrawOffer, (call) => commands.endOffer('withdraw', deps, call)))
    .use(http.command(lifecycle.rejectOffer, (call) => commands.endOffer('reject', deps, call)))
