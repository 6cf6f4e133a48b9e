import { Elysia } from 'elysia'
import Negotiator from 'negotiator'
import { getOfferComparison, type OfferComparison } from '../../../proto/http/sourcing/comparison.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { PipelinedReads } from '../../kit/db/pipelined-reads.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import type { TenantReads } from '../../kit/limits/tenant-reads.ts'
import { comparisonOf, defaultQuantity } from './compare.ts'
import { csvOf } from './csv.ts'
import { findComparedOffers, findComparedRfq } from './queries.ts'

interface Deps {
  http: Http
  reads: PipelinedReads
  tenantReads: TenantReads
}

export const comparisonRoutes = ({ http, reads, tenantReads }: Deps) =>
  new Elysia({ name: 'sourcing.comparison' }).use(
    http.route(getOfferComparison, async ({ caller: { orgId }, params, query, request, now }) => {
      const { document } = found(await reads.query((sql) => findComparedRfq(sql, orgId, params.id)))
      const rfq: Rfq = JSON.parse(document)
      const reader = { orgId, signal: request.signal }
      const offers = await tenantReads.bounded(reader, (sql) => findComparedOffers(sql, orgId, rfq.id, now))
      return answerOf(request, rfq, comparisonOf(rfq, offers, query.quantity ?? defaultQuantity(rfq)))
    }),
  )

const JSON_TYPE = 'application/json'
const CSV_TYPE = 'text/csv'

/** JSON unless `Accept` prefers CSV. */
function answerOf(request: Request, { serialNumber }: Rfq, comparison: OfferComparison): Raw {
  const headers = { vary: 'Authorization, Accept' }
  const wanted = new Negotiator({ headers: { accept: request.headers.get('accept') ?? undefined } })
  if (wanted.mediaType([JSON_TYPE, CSV_TYPE]) !== CSV_TYPE) {
    return new Raw(JSON.stringify(comparison), JSON_TYPE, headers)
  }
  const name = `comparison-${serialNumber}.csv`
  return new Raw(csvOf(comparison), `${CSV_TYPE}; charset=utf-8`, {
    ...headers,
    'content-disposition': `attachment; filename="${name}"`,
  })
}
