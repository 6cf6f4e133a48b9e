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
import { csvFile } from '../../kit/http/raw.ts'
import { findFees } from '../sales-agreements/queries.ts'
import { comparisonOf, defaultQuantity, withNotes } from './compare.ts'
import { comparisonFile } from './csv.ts'
import { findComparedOffers, findComparedRfq, findNotes } from './queries.ts'

export const comparisonRoutes = ({ http }: { http: Http }) =>
  new Elysia({ name: 'sourcing.comparison' })
    .use(http.route(getOfferComparison, async (context) => (await compare(context)).comparison))
    .use(
      http.route(exportOfferComparison, async (context) => {
        const { rfq, comparison } = await compare(context)
        return csvFile(`comparison-${rfq.serialNumber}.csv`, comparisonFile(comparison))
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
  const { sellerOrgId } = query
  const isShown = sellerOrgId !== undefined && rfq.consumerOrgId === orgId
  const makers = [...new Set(offers.map(({ manufacturerOrgId }) => manufacturerOrgId))]
  const fees = isShown ? await read((sql) => findFees(sql, sellerOrgId, makers)) : []
  const comparison = comparisonOf(
    rfq,
    offers,
    query.quantity ?? defaultQuantity(rfq),
    new Map(fees.map(({ manufacturerOrgId, feePercent }) => [manufacturerOrgId, feePercent])),
  )
  const ids = comparison.offers.map(({ offerId }) => offerId)
  const notes = await longRead((sql) => findNotes(sql, orgId, ids))
  return { rfq, comparison: withNotes(comparison, new Map(notes.map((one) => [one.id, one.notes]))) }
}
