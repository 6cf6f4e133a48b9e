import {
  CHOICES,
  type Choice,
  type ChoiceKind,
  type ComparedLine,
  type ComparedMaker,
  type PackageComparison,
  type PackageOffer,
} from '../../../proto/http/sourcing/rfq-package-comparison.ts'
import type { RfqPackage, RfqPackageLine } from '../../../proto/http/sourcing/rfq-packages.ts'
import { defaultQuantity, pricesAt, unstatedCosts } from '../comparison/compare.ts'
import { compare, sum } from '../money/money.ts'
import { stateAt } from '../rfqs/rules.ts'
import type { InvitedMaker, LineOffer } from './comparison-queries.ts'

interface Compared {
  pkg: RfqPackage
  makers: readonly InvitedMaker[]
  offers: readonly LineOffer[]
  /** Quantities of lines, by RFQ. Default: the largest requested one. */
  quantities: ReadonlyMap<string, number>
  now: string
}

/** An offer with a price that can be awarded. */
type Priced = PackageOffer & Required<Pick<PackageOffer, 'leadTimeDays' | 'landedTotal'>>

/** A line with the offers for it. */
interface Line {
  line: RfqPackageLine
  state: RfqPackageLine['state']
  quantity: number
  /** All offers, by manufacturer. */
  offers: ReadonlyMap<string, readonly PackageOffer[]>
}

/** Compares the manufacturers of a package. Its order never depends on prices. */
export function packageComparisonOf({ pkg, makers, offers, quantities, now }: Compared): PackageComparison {
  const { id, currency } = pkg
  const isSealed = pkg.lines.some((line) => line.sealed && line.state === 'OPEN')
  const offersOf = Map.groupBy(offers, ({ rfqId }) => rfqId)
  const lines = pkg.lines.map((line): Line => {
    const quantity = quantities.get(line.rfqId) ?? defaultQuantity(line)
    const shown = (offersOf.get(line.rfqId) ?? []).map((offer) => offerAt(offer, quantity, currency, isSealed))
    const byMaker = Map.groupBy(shown, ({ manufacturerOrgId }) => manufacturerOrgId)
    return { line, state: stateAt(line, now), quantity, offers: byMaker }
  })
  const makerIds = makers.map(({ orgId }) => orgId)
  return {
    packageId: id,
    currency,
    isSealed,
    makers: makers.map((maker) => comparedMaker(maker, lines, currency)),
    lines: lines.map((line) => comparedLine(line, makerIds)),
    choices: CHOICES.flatMap((kind) => choiceOf(kind, lines, makerIds, currency) ?? []),
  }
}

function offerAt(
  { id, manufacturerOrgId, state, isOutdated, validUntil, ...amounts }: LineOffer,
  quantity: number,
  currency: RfqPackage['currency'],
  isSealed: boolean,
): PackageOffer {
  const base = {
    offerId: id,
    manufacturerOrgId,
    state,
    ...(isOutdated && { isOutdated: true }),
    validUntil,
    offerCount: 1,
  }
  return { ...base, ...(isSealed ? { unpriced: 'SEALED' } : pricesAt(amounts, quantity, currency)) }
}

const isPriced = (offer: PackageOffer): offer is Priced => offer.landedTotal !== undefined

const isCurrent = ({ state, isOutdated }: PackageOffer) => state === 'SUBMITTED' && !isOutdated

/** The offers of a manufacturer for a line that can be awarded. */
const awardable = ({ state, offers }: Line, maker: string): Priced[] =>
  state === 'OPEN' || state === 'CLOSED' ? (offers.get(maker) ?? []).filter(isPriced).filter(isCurrent) : []

/** The offers of a manufacturer for an awarded line that were not chosen. */
const notChosen = ({ offers }: Line, maker: string): Priced[] =>
  (offers.get(maker) ?? []).filter(isPriced).filter(({ state }) => state === 'REJECTED')

const lowest = <Item>(items: readonly Item[], order: (a: Item, b: Item) => number): Item | undefined =>
  items.reduce<Item | undefined>((best, one) => (best === undefined || order(one, best) < 0 ? one : best), undefined)

const byId = (a: Priced, b: Priced) => (a.offerId < b.offerId ? -1 : 1)
const byTotal = (a: Priced, b: Priced) => compare(a.landedTotal.amount, b.landedTotal.amount)
const byLeadTime = (a: Priced, b: Priced) => a.leadTimeDays - b.leadTimeDays
const cheapest = (a: Priced, b: Priced) => byTotal(a, b) || byLeadTime(a, b) || byId(a, b)
/** The lowest total among the offers that leave out the fewest of the costs which any of them states. */
const cheapestOf = (offers: readonly Priced[]): Priced | undefined =>
  lowest(offers, (a, b) => unstatedCosts(a, offers) - unstatedCosts(b, offers) || cheapest(a, b))
const fastest = (a: Priced, b: Priced) => byLeadTime(a, b) || byTotal(a, b) || byId(a, b)

function comparedMaker(
  { orgId, name, askedLines }: InvitedMaker,
  lines: readonly Line[],
  currency: RfqPackage['currency'],
): ComparedMaker {
  const offered = lines.filter(({ state, offers }) =>
    state === 'CANCELLED' ? false : offers.get(orgId)?.some((offer) => offer.state !== 'SUBMITTED' || isCurrent(offer)),
  )
  const best = lines.flatMap((line) => cheapestOf(awardable(line, orgId)) ?? [])
  return {
    manufacturerOrgId: orgId,
    manufacturerName: name,
    askedLines,
    offeredLines: offered.length,
    ...(best.length > 0 && { total: totalOfAll(best, currency) }),
  }
}

const totalOfAll = (offers: readonly Priced[], currency: RfqPackage['currency']) => ({
  amount: sum(...offers.map(({ landedTotal }) => landedTotal.amount)),
  currency,
})

function comparedLine(compared: Line, makerIds: readonly string[]): ComparedLine {
  const { line, state, quantity, offers } = compared
  const { rfqId, partId, partTitle } = line
  const shown = makerIds.flatMap((maker) => {
    const own = offers.get(maker) ?? []
    const offer =
      own.find((one) => one.state === 'ACCEPTED') ??
      cheapestOf(awardable(compared, maker)) ??
      lowest(notChosen(compared, maker), cheapest) ??
      own.find(isCurrent) ??
      own[0]
    return offer ? [{ ...offer, offerCount: own.length }] : []
  })
  return { rfqId, partId, ...(partTitle !== undefined && { partTitle }), state, quantity, offers: shown }
}

function choiceOf(
  kind: ChoiceKind,
  lines: readonly Line[],
  makerIds: readonly string[],
  currency: RfqPackage['currency'],
): Choice | undefined {
  const open = lines.filter(({ state }) => state === 'OPEN' || state === 'CLOSED')
  const chosen = kind === 'ONE_MAKER' ? ofOneMaker(open, makerIds) : ofEach(open, makerIds, kind)
  if (chosen.length === 0) return undefined
  const offers = chosen.map(({ offer }) => offer)
  const ids = new Set(offers.map(({ manufacturerOrgId }) => manufacturerOrgId))
  return {
    kind,
    awards: chosen.map(({ line, offer }) => ({
      rfqId: line.line.rfqId,
      offerId: offer.offerId,
      quantity: line.quantity,
    })),
    total: totalOfAll(offers, currency),
    leadTimeDays: Math.max(...offers.map(({ leadTimeDays }) => leadTimeDays)),
    manufacturerOrgIds: makerIds.filter((id) => ids.has(id)),
    missingLines: open.length - chosen.length,
  }
}

interface Chosen {
  line: Line
  offer: Priced
}

const ofEach = (lines: readonly Line[], makerIds: readonly string[], kind: 'CHEAPEST' | 'FASTEST'): Chosen[] =>
  lines.flatMap((line) => {
    const offers = makerIds.flatMap((maker) => awardable(line, maker))
    const offer = kind === 'CHEAPEST' ? cheapestOf(offers) : lowest(offers, fastest)
    return offer ? [{ line, offer }] : []
  })

/**
 * The manufacturer that offers every line at the lowest total, of those that leave out the fewest costs that other
 * offers state; of several the first.
 */
function ofOneMaker(lines: readonly Line[], makerIds: readonly string[]): Chosen[] {
  const complete = makerIds.flatMap((maker) => {
    const chosen = lines.flatMap((line): Chosen[] => {
      const offer = cheapestOf(awardable(line, maker))
      return offer ? [{ line, offer }] : []
    })
    const ofLines = chosen.map(({ line, offer }) => [offer, makerIds.flatMap((each) => awardable(line, each))] as const)
    const unstated = ofLines.reduce((count, [offer, others]) => count + unstatedCosts(offer, others), 0)
    const total = sum('0', ...chosen.map(({ offer }) => offer.landedTotal.amount))
    return chosen.length === lines.length ? [{ chosen, total, unstated }] : []
  })
  return lowest(complete, (a, b) => a.unstated - b.unstated || compare(a.total, b.total))?.chosen ?? []
}
