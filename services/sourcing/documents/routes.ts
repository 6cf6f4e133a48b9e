import { Elysia } from 'elysia'
import * as api from '../../../proto/http/sourcing/documents.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { findCase } from '../cases/queries.ts'
import type { RecordKind } from '../files/queries.ts'
import { findOrder } from '../orders/queries.ts'
import type { Pictures } from '../renderings/pictures.ts'
import { findRfq } from '../rfqs/queries.ts'
import * as commands from './commands.ts'
import { documentsOf } from './list.ts'
import { findOfferReader } from './queries.ts'
import { requestProblems } from './rules.ts'

interface Deps extends commands.DocumentDeps, RouteKit {
  pictures: Pictures
  /** Called when a document may have been added as PENDING. */
  onPending: () => void
}

type Change = (typeof api)[`update${'Rfq' | 'Offer' | 'Order' | 'Case'}Files`]

export const documentRoutes = ({ http, onPending, ...deps }: Deps) => {
  const change = (operation: Change, kind: RecordKind, run: typeof commands.updateRfqFiles) =>
    http.preparedCommand(operation, {
      checkBody: requestProblems,
      prepare: (call) => commands.findDocuments(deps, kind, call),
      run: (call) => run(deps, call),
      afterCommit: onPending,
    })
  return new Elysia({ name: 'sourcing.documents' })
    .use(
      http.route(api.listRfqFiles, async (context) => {
        const readable = await context.read((sql) => findRfq(sql, context.caller.orgId, context.params.id))
        found(readable.filter(({ isOutline, isDeclined }) => !isOutline && !isDeclined))
        return documentsOf(deps, context)
      }),
    )
    .use(
      http.route(api.listOfferFiles, async (context) => {
        const { caller, params, read } = context
        const { sees_documents } = found(await read((sql) => findOfferReader(sql, caller.orgId, params.id)))
        return sees_documents ? documentsOf(deps, context) : { items: [], hasMore: false }
      }),
    )
    .use(
      http.route(api.listOrderFiles, async (context) => {
        found(await context.read((sql) => findOrder(sql, context.caller.orgId, context.params.id)))
        return documentsOf(deps, context)
      }),
    )
    .use(
      http.route(api.listCaseFiles, async (context) => {
        found(await context.read((sql) => findCase(sql, context.caller.orgId, context.params.id)))
        return documentsOf(deps, context)
      }),
    )
    .use(change(api.updateRfqFiles, 'rfq', commands.updateRfqFiles))
    .use(change(api.updateOfferFiles, 'offer', commands.updateOfferFiles))
    .use(change(api.updateOrderFiles, 'order', commands.updateOrderFiles))
    .use(change(api.updateCaseFiles, 'case', commands.updateCaseFiles))
}
