import { Elysia } from 'elysia'
import {
  exportOfferComparison,
  getOfferComparison,
  type OfferComparison,
} from '../../../proto/http/sourcing/comparison.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { Reads } from '../../kit/db/pipelined-reads.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import type { TenantReads } from '../../kit/limits/tenant-reads.ts'
import { comparisonOf, defaultQuantity, withNotes } from './compare.ts'
import { csvOf } from './csv.ts'
import { findComparedOffers, findComparedRfq, findNotes } from './queries.ts'

interface Deps {
  http: Http
  reads: Reads
  tenantReads: TenantReads
}

export const comparisonRoutes = ({ http, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.comparison' })
    .use(http.route(getOfferComparison, async (context) => (await compare(deps, context)).comparison))
    .use(
      http.route(exportOfferComparison, async (context) => {
        const { rfq, comparison } = await compare(deps, context)
        return new Raw(csvOf(comparison), 'text/csv; charset=utf-8', {
          'content-disposition': `attachment; filename="comparison-${rfq.serialNumber}.csv"`,
        })
      }),
    )

/** Returns the RFQ and its comparison, for JSON and for the file. */
async function compare(
  { reads, tenantReads }: Omit<Deps, 'http'>,
  {
    caller: { orgId },
    params,
    query,
    request,
    now,
  }: CallerContext<typeof getOfferComparison | typeof exportOfferComparison>,
): Promise<{ rfq: Rfq; comparison: OfferComparison }> {
  const { document } = found(await reads.query((sql) => findComparedRfq(sql, orgId, params.id)))
  const rfq: Rfq = JSON.parse(document)
  const reader = { orgId, signal: request.signal }
  const offers = await tenantReads.bounded(reader, (sql) => findComparedOffers(sql, orgId, rfq.id, now))
  const comparison = comparisonOf(rfq, offers, query.quantity ?? defaultQuantity(rfq))
  const ids = comparison.offers.map(({ offerId }) => offerId)
  const notes = await tenantReads.bounded(reader, (sql) => findNotes(sql, orgId, ids))
  return { rfq, comparison: withNotes(comparison, new Map(notes.map((one) => [one.id, one.notes]))) }
}
