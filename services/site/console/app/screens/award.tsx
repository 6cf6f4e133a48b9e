import { type Signal, signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { sumOf } from '../amounts.ts'
import { at, type ComparedOffer, market, type Offer, type OfferComparison, post, type Rfq } from '../api.ts'
import { useList } from '../data.ts'
import { date, dayCount, daysAfter, money, number, region } from '../format.ts'
import { mayUse } from '../me.ts'
import { FactoryName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Field, FieldProblem, textOf } from '../ui/form.tsx'
import { Facts } from '../ui/page.tsx'
import { SellerField, sellerIn, sellerName, sellerProblem, useSellers } from './award-sellers.tsx'
import { landedTotal } from './offer-terms.tsx'
import { deliveryFact } from './rfq-terms.tsx'

export const amount = (value: ComparedOffer['unitPrice']) => value && money(value)
export const unpriced = ({ unpriced: why }: ComparedOffer) =>
  why ? t.comparison.unpriced[why] : t.comparison.notStated

/** An offer of the dialog with the number of pieces that was typed for it. */
interface Row {
  compared: ComparedOffer
  /** The whole offer; missing until it is read. */
  offer: Offer | undefined
  pieces: Signal<string>
}

/** An offer that becomes an order. */
interface Chosen extends Row {
  /** The row of the dialog. */
  row: number
  quantity: number
  purchaseOrderNumber: string | undefined
}

const referenceOf = ({ compared: { revision }, offer }: Row) =>
  offer?.reference ?? fill(t.comparison.revision, { count: number(revision) })

const labelOf = (row: Row, pieces: number) =>
  fill(t.comparison.awardLabel, {
    maker: row.compared.manufacturerName,
    reference: referenceOf(row),
    total: amount(row.compared.landedTotal) ?? unpriced(row.compared),
    pieces: number(pieces),
  })

/** The typed number of pieces; undefined for text that is none. */
const piecesOf = ({ pieces: { value } }: Row): number | undefined => {
  const text = value.trim()
  return text === '' ? 0 : /^\d+$/.test(text) ? Number(text) : undefined
}

const breaksOf = ({ offer }: Row) => offer?.priceBreaks ?? []

/** What is wrong with a number of pieces. */
function problemOf(row: Row): string | undefined {
  const pieces = piecesOf(row)
  if (pieces === undefined) return t.comparison.noNumber
  const smallest = Math.min(...breaksOf(row).map(({ minQuantity }) => minQuantity))
  return pieces > 0 && Number.isFinite(smallest) && pieces < smallest
    ? fill(t.comparison.tooFew, { least: number(smallest) })
    : undefined
}

/** The pieces of all rows. */
const sumOfPieces = (rows: readonly Row[]) => rows.reduce((total, row) => total + (piecesOf(row) ?? 0), 0)

/** Why the orders cannot be placed yet. */
function blockedBy(rows: readonly Row[], { most, tooMany }: Placing): string | undefined {
  const wrong = rows.find((row) => problemOf(row) !== undefined)
  if (wrong) return `${wrong.compared.manufacturerName}: ${problemOf(wrong)}`
  const sum = sumOfPieces(rows)
  if (sum === 0) return t.comparison.noPieces
  return sum > most ? fill(tooMany, { sum: number(sum), most: number(most) }) : undefined
}

/** The total at the typed number of pieces. */
function hintOf(row: Row): string {
  const pieces = piecesOf(row) ?? 0
  const price = breaksOf(row).findLast(({ minQuantity }) => minQuantity <= pieces)
  return row.offer && price && pieces > 0
    ? fill(t.comparison.landedFor, {
        pieces: number(pieces),
        total: money(landedTotal(row.offer, pieces, price.unitPrice)),
      })
    : t.comparison.noOrder
}

/** The orders that an award places, at the prices of their quantities. */
function Orders({ rfq, of, seller }: { rfq: Rfq; of: readonly Chosen[]; seller: string | undefined }) {
  const totals = of.flatMap(({ compared }) => compared.landedTotal ?? [])
  const fees = of.flatMap(({ compared }) => compared.sellerFee ?? [])
  const [first] = totals
  const sum = (amounts: typeof totals) =>
    first && money({ ...first, amount: sumOf(...amounts.map((one) => [one.amount, 1] as const)) })
  const [deliveryLabel, delivery = region(rfq.deliveryRegionCode)] = deliveryFact(rfq.delivery)
  return (
    <>
      <p>{t.comparison.binding}</p>
      {of.map((one) => {
        const { compared, offer, quantity, purchaseOrderNumber } = one
        const { leadTimeDays: days = 0 } = compared
        return (
          <section key={compared.offerId}>
            <h4>
              {compared.manufacturerName}, {referenceOf(one)}
            </h4>
            <Facts
              of={[
                [t.orders.quantity, number(quantity)],
                [t.comparison.unitPrice, amount(compared.unitPrice)],
                [t.comparison.tooling, amount(compared.toolingCost) ?? t.comparison.notStated],
                [t.comparison.shipping, amount(compared.shippingCost) ?? t.comparison.notStated],
                [t.comparison.landed, amount(compared.landedTotal)],
                [t.comparison.sellerFee, amount(compared.sellerFee)],
                [
                  t.orders.due,
                  fill(t.comparison.dueIn, {
                    day: date(daysAfter(Date.now(), days)),
                    days: dayCount(days),
                  }),
                ],
                [t.orders.purchaseOrderNumber, purchaseOrderNumber ?? t.comparison.notStated],
                [t.rfqs.paymentTerms, offer?.paymentTerms ?? rfq.paymentTerms ?? t.comparison.notStated],
                [deliveryLabel, delivery],
                [t.rfqs.factory, <FactoryName key="factory" id={compared.factoryId} />],
                [t.offer.notes, compared.notes],
              ]}
            />
          </section>
        )
      })}
      <Facts
        of={[
          [t.orders.total, <strong key="total">{sum(totals)}</strong>],
          [t.comparison.seller, seller],
          [t.comparison.sellerFee, fees.length > 0 && sum(fees)],
          [t.comparison.withFee, fees.length > 0 && <strong key="fee">{sum([...totals, ...fees])}</strong>],
        ]}
      />
    </>
  )
}

/** What is placed: an award, or the missing pieces of one. */
export interface Placing {
  verb: 'award' | 'reaward'
  label: string
  hint: string
  /** The pieces that may be placed together. */
  most: number
  /** What is said of more pieces. */
  tooMany: string
  /** The states of the offers that can be chosen. */
  states: readonly ComparedOffer['state'][]
}

const awardOf = (rfq: Rfq): Placing => {
  const most = Math.max(...rfq.quantities)
  const hint = fill(t.comparison.awardHint, { most: number(most) })
  return { verb: 'award', label: t.verbs.award, hint, most, tooMany: t.comparison.tooMany, states: ['SUBMITTED'] }
}

/** The offers that can be awarded. Those that the dialog opened with stay, with what was typed. */
function useRows(rfq: Rfq, comparison: OfferComparison, { states, most }: Placing) {
  const query = { view: 'CONSUMER', rfqId: rfq.id, pageSize: 50 } as const
  const submitted = useList('/v1/offers', { query: { ...query, state: 'SUBMITTED' } })
  const accepted = useList(states.includes('ACCEPTED') ? '/v1/offers' : undefined, {
    query: { ...query, state: 'ACCEPTED' },
  })
  const offers = [...(submitted.data ?? []), ...(accepted.data ?? [])]
  const typed = useRef(new Map<string, Signal<string>>()).current
  const now = new Date().toISOString()
  const compared = comparison.offers.filter(
    ({ state, isOutdated, validUntil }) => states.includes(state) && !isOutdated && validUntil > now,
  )
  const rows = compared.map((one): Row => {
    const pieces = typed.get(one.offerId) ?? signal('0')
    typed.set(one.offerId, pieces)
    return { compared: one, offer: offers.find(({ id }) => id === one.offerId), pieces }
  })
  /** The best offer of the comparison gets its quantity, and the others none. */
  const begin = () => {
    const best = rows.find(({ compared: { landedTotal: total } }) => total !== undefined)
    const quantity = Math.min(comparison.quantity, most)
    for (const row of rows) row.pieces.value = row === best ? String(quantity) : '0'
  }
  return { rows, begin }
}

interface AwardProps {
  rfq: Rfq
  comparison: OfferComparison
  /** Default: an award of the RFQ. */
  placing?: Placing
  /** The seller that is chosen at first. */
  sellerOrgId?: string
}

/** Chooses offers with quantities, and their seller. The marketplace checks them again. */
export function Award({ rfq, comparison, placing = awardOf(rfq), sellerOrgId: preferred = '' }: AwardProps) {
  const { verb, label, hint, most } = placing
  const { rows, begin } = useRows(rfq, comparison, placing)
  const sellers = useSellers(rfq)
  const seller = useSignal('')
  const sellerOrgId = seller.value || undefined
  const chosen = useRef<Chosen[]>([])
  /** The seller with the fee that is reviewed. */
  const named = useRef<ReturnType<typeof sellerIn>>({})
  const makers = rows.filter((row) => piecesOf(row)).map(({ compared }) => compared.manufacturerOrgId)
  const review = async (data: FormData) => {
    chosen.current = []
    named.current = sellerIn(sellers, seller.value, makers)
    for (const [row, one] of rows.entries()) {
      const quantity = piecesOf(one) ?? 0
      if (quantity === 0) continue
      const purchaseOrderNumber = textOf(data, `purchaseOrderNumber.${row}`)
      const place: Chosen = { ...one, row, quantity, purchaseOrderNumber }
      chosen.current.push(place)
      const query = { path: { id: rfq.id }, query: { quantity, ...(sellerOrgId && { sellerOrgId }) } }
      const { data: read } = await market.GET('/flows/v1/rfqs/{id}/comparison', { params: query })
      const compared = read.offers.find(({ offerId }) => offerId === one.compared.offerId)
      if (!compared?.landedTotal) throw new FieldProblem(`quantity.${row}`, t.comparison.notOffered)
      place.compared = compared
      place.offer = (await market.GET('/v1/offers/{id}', at(compared.offerId))).data
    }
    return <Orders rfq={rfq} of={chosen.current} seller={sellerName(sellers, seller.value)} />
  }
  const award = () => {
    const awards = chosen.current.map(({ compared: { offerId }, quantity, purchaseOrderNumber }) => ({
      offerId,
      quantity,
      ...(purchaseOrderNumber && { purchaseOrderNumber }),
    }))
    return post(`/flows/v1/rfqs/{id}/${verb}`, rfq.id, { awards, ...named.current })
  }
  const rowAt = (at: string) => chosen.current.at(Number(at))?.row
  /** The field `quantity` is that of the comparison which was read last. */
  const pathOf = (field: string) =>
    field
      .replace('sellerFeePercent', 'sellerOrgId')
      .replace(/^awards\.(\d+)\.purchaseOrderNumber$/, (_, at) => `purchaseOrderNumber.${rowAt(at)}`)
      .replace(/^(?:awards\.(\d+)\.)?(?:quantity|offerId)$/, (_, at = '-1') => `quantity.${rowAt(at)}`)
  return (
    <Action
      label={label}
      hint={hint}
      when={mayUse(RFQ, verb, rfq) && rows.some(({ compared: { unpriced: why } }) => why !== 'SEALED')}
      isPrimary
      isWide
      onOpen={async () => {
        begin()
        seller.value = preferred
      }}
      onRun={award}
      form={{ pathOf, review, blockedBy: blockedBy(rows, placing) ?? sellerProblem(sellers, seller.value, makers) }}
    >
      {rows.map((row, index) => (
        <Field
          key={row.compared.offerId}
          name={`quantity.${index}`}
          label={labelOf(row, comparison.quantity)}
          hint={hintOf(row)}
          type="number"
          text={row.pieces}
          problem={problemOf(row)}
          isFocused={index === 0}
        />
      ))}
      <p class="quiet" role="status">
        {fill(t.comparison.together, { sum: number(sumOfPieces(rows)), most: number(most) })}
      </p>
      {rows.map((row, index) => (
        <div key={row.compared.offerId} hidden={!piecesOf(row)}>
          <Field
            name={`purchaseOrderNumber.${index}`}
            label={
              rows.length === 1
                ? t.orders.purchaseOrderNumber
                : fill(t.comparison.purchaseOrderFor, {
                    maker: row.compared.manufacturerName,
                    reference: referenceOf(row),
                  })
            }
            isOptional
          />
        </div>
      ))}
      <SellerField sellers={sellers} chosen={seller} makers={makers} />
    </Action>
  )
}
