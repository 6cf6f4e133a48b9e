import { Elysia } from 'elysia'
import {
  exportOfferComparison,
  getOfferComparison,
  type OfferComparison,
} from '../../../proto/http/sourcing/comparison.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import { comparisonOf, defaultQuantity, withNotes } from './compare.ts'
import { comparisonFile } from './csv.ts'
import { findComparedOffers, findComparedRfq, findNotes } from './queries.ts'

export const comparisonRoutes = ({ http }: { http: Http }) =>
  new Elysia({ name: 'sourcing.comparison' })
    .use(http.route(getOfferComparison, async (context) => (await compare(context)).comparison))
    .use(
      http.route(exportOfferComparison, async (context) => {
        const { rfq, comparison } = await compare(context)
        return new Raw(comparisonFile(comparison), 'text/csv; charset=utf-8', {
          'content-disposition': `attachment; filename="comparison-${rfq.serialNumber}.csv"`,
        })
      }),
    )

/** Returns the RFQ and its comparison, for JSON and for the file. */
async function compare({
  caller: { orgId },
  params,
  query,
  now,
  read,
  longRead,
}: CallerContext<typeof getOfferComparison | typeof exportOfferComparison>): Promise<{
  rfq: Rfq
  comparison: OfferComparison
}> {
  const { document } = found(await read((sql) => findComparedRfq(sql, orgId, params.id)))
  const rfq: Rfq = JSON.parse(document)
  const offers = await longRead((sql) => findComparedOffers(sql, orgId, rfq.id, now))
  const comparison = comparisonOf(rfq, offers, query.quantity ?? defaultQuantity(rfq))
  const ids = comparison.offers.map(({ offerId }) => offerId)
  const notes = await longRead((sql) => findNotes(sql, orgId, ids))
  return { rfq, comparison: withNotes(comparison, new Map(notes.map((one) => [one.id, one.notes]))) }
}
