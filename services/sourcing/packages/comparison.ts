import { problem } from '../../../proto/errors.ts'
import type {
  exportPackageComparison,
  getPackageComparison,
  PackageComparison,
} from '../../../proto/http/sourcing/rfq-package-comparison.ts'
import type { RfqPackage } from '../../../proto/http/sourcing/rfq-packages.ts'
import { noSuch } from '../../../proto/messages.ts'
import { invalid } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import { packageComparisonOf } from './compare.ts'
import { findLineOffers, listMakers } from './comparison-queries.ts'
import { ownPackage } from './packages.ts'

const MAX_QUANTITY = 1_000_000_000

/** The comparison of a package for its consumer. */
export async function comparePackage({
  caller: { orgId },
  params: { id },
  query,
  now,
  read,
  longRead,
}: CallerContext<typeof getPackageComparison | typeof exportPackageComparison>): Promise<{
  pkg: RfqPackage
  comparison: PackageComparison
}> {
  const pkg = await read((sql) => ownPackage(sql, orgId, id))
  const quantities = quantitiesOf(query.quantities, pkg)
  const rfqIds = pkg.lines.map(({ rfqId }) => rfqId)
  const awardedIds = pkg.lines.flatMap(({ rfqId, state }) => (state === 'AWARDED' ? [rfqId] : []))
  const [makers, offers] = await longRead(async (sql) => [
    await listMakers(sql, orgId, id),
    await findLineOffers(sql, orgId, { rfqIds, awardedIds }, now),
  ])
  return { pkg, comparison: packageComparisonOf({ pkg, makers, offers, quantities, now }) }
}

/** The quantities of a query by RFQ. Throws 400 for an RFQ that is no line, or is named twice. */
function quantitiesOf(text: string | undefined, { lines }: RfqPackage): Map<string, number> {
  const known = new Set(lines.map(({ rfqId }) => rfqId))
  const quantities = new Map<string, number>()
  for (const pair of text?.split(',') ?? []) {
    const [rfqId = '', pieces = ''] = pair.split(':')
    const refuse = (message: string) => invalid([problem('quantities', message)])
    if (!known.has(rfqId)) throw refuse(noSuch('RFQ', rfqId, 'in this package'))
    if (quantities.has(rfqId)) throw refuse(`names ${rfqId} twice`)
    if (Number(pieces) > MAX_QUANTITY) throw refuse(`must be at most ${MAX_QUANTITY} pieces for ${rfqId}`)
    quantities.set(rfqId, Number(pieces))
  }
  return quantities
}
