import { type Signal, signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { sumOf } from '../amounts.ts'
import { at, type ComparedOffer, market, type Offer, type OfferComparison, post, type Rfq } from '../api.ts'
import { useList } from '../data.ts'
import { date, money, number, region } from '../format.ts'
import { mayUse } from '../me.ts'
import { FactoryName, OrgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Field, FieldProblem, textOf } from '../ui/form.tsx'
import { OrgField, orgIn } from '../ui/org-field.tsx'
import { Facts } from '../ui/page.tsx'
import { landedTotal } from './offer-terms.tsx'
import { deliveryFact } from './rfq-terms.tsx'

export const amount = (value: ComparedOffer['unitPrice']) => value && money(value)
export const unpriced = ({ unpriced: why }: ComparedOffer) =>
  why ? t.comparison.unpriced[why] : t.comparison.notStated

const DAY_MS = 86_400_000

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

/** Why the orders cannot be placed yet. */
function blockedBy(rows: readonly Row[], most: number): string | undefined {
  const wrong = rows.find((row) => problemOf(row) !== undefined)
  if (wrong) return `${wrong.compared.manufacturerName}: ${problemOf(wrong)}`
  const sum = rows.reduce((total, row) => total + (piecesOf(row) ?? 0), 0)
  if (sum === 0) return t.comparison.noPieces
  return sum > most ? fill(t.comparison.tooMany, { sum: number(sum), most: number(most) }) : undefined
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
function Orders({ rfq, of, sellerOrgId }: { rfq: Rfq; of: readonly Chosen[]; sellerOrgId: string | undefined }) {
  const totals = of.flatMap(({ compared }) => compared.landedTotal ?? [])
  const [first] = totals
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
                [
                  t.orders.due,
                  fill(t.comparison.dueIn, {
                    day: date(new Date(Date.now() + days * DAY_MS).toISOString()),
                    days: fill(t.comparison.days, { count: number(days) }),
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
          [
            t.orders.total,
            first && (
              <strong>{money({ ...first, amount: sumOf(...totals.map((one) => [one.amount, 1] as const)) })}</strong>
            ),
          ],
          [t.comparison.seller, sellerOrgId && <OrgName id={sellerOrgId} />],
        ]}
      />
    </>
  )
}

/** The organization that was chosen; undefined for the manufacturer. */
export const sellerIn = (data: FormData) => orgIn(data, 'sellerOrgId')

/** The manufacturer itself, or a seller: one of the own records by name, or another one by its id. */
export const SellerChoice = () => (
  <OrgField
    name="sellerOrgId"
    label={t.comparison.seller}
    idLabel={t.comparison.sellerId}
    place="sellerOrgId"
    none={t.comparison.manufacturerSells}
  />
)

/** The offers that can be awarded. Those that the dialog opened with stay, with what was typed. */
function useRows(rfq: Rfq, comparison: OfferComparison) {
  const { data: offers = [] } = useList('/v1/offers', {
    query: { view: 'CONSUMER', rfqId: rfq.id, state: 'SUBMITTED', pageSize: 50 },
  })
  const typed = useRef(new Map<string, Signal<string>>()).current
  const compared = comparison.offers.filter(({ state, isOutdated }) => state === 'SUBMITTED' && !isOutdated)
  const rows = compared.map((one): Row => {
    const pieces = typed.get(one.offerId) ?? signal('0')
    typed.set(one.offerId, pieces)
    return { compared: one, offer: offers.find(({ id }) => id === one.offerId), pieces }
  })
  /** The best offer of the comparison gets its quantity, and the others none. */
  const begin = async () => {
    const best = rows.find(({ compared: { landedTotal: total } }) => total !== undefined)
    for (const row of rows) row.pieces.value = row === best ? String(comparison.quantity) : '0'
  }
  return { rows, begin }
}

/** Chooses offers with quantities. The marketplace checks them again. */
export function Award({ rfq, comparison }: { rfq: Rfq; comparison: OfferComparison }) {
  const { rows, begin } = useRows(rfq, comparison)
  const chosen = useRef<Chosen[]>([])
  const most = Math.max(...rfq.quantities)
  const review = async (data: FormData) => {
    const sellerOrgId = sellerIn(data)
    chosen.current = []
    for (const [row, one] of rows.entries()) {
      const quantity = piecesOf(one) ?? 0
      if (quantity === 0) continue
      const purchaseOrderNumber = textOf(data, `purchaseOrderNumber.${row}`)
      const place: Chosen = { ...one, row, quantity, purchaseOrderNumber }
      chosen.current.push(place)
      const query = { path: { id: rfq.id }, query: { quantity } }
      const { data: read } = await market.GET('/flows/v1/rfqs/{id}/comparison', { params: query })
      const compared = read.offers.find(({ offerId }) => offerId === one.compared.offerId)
      if (!compared?.landedTotal) throw new FieldProblem(`quantity.${row}`, t.comparison.notOffered)
      place.compared = compared
      place.offer = (await market.GET('/v1/offers/{id}', at(compared.offerId))).data
    }
    return <Orders rfq={rfq} of={chosen.current} sellerOrgId={sellerOrgId} />
  }
  const award = (data: FormData) => {
    const awards = chosen.current.map(({ compared: { offerId }, quantity, purchaseOrderNumber }) => ({
      offerId,
      quantity,
      ...(purchaseOrderNumber && { purchaseOrderNumber }),
    }))
    const sellerOrgId = sellerIn(data)
    return post('/flows/v1/rfqs/{id}/award', rfq.id, { awards, ...(sellerOrgId !== undefined && { sellerOrgId }) })
  }
  const rowAt = (at: string) => chosen.current.at(Number(at))?.row
  /** The field `quantity` is that of the comparison which was read last. */
  const pathOf = (field: string) =>
    field
      .replace(/^awards\.(\d+)\.purchaseOrderNumber$/, (_, at) => `purchaseOrderNumber.${rowAt(at)}`)
      .replace(/^(?:awards\.(\d+)\.)?(?:quantity|offerId)$/, (_, at = '-1') => `quantity.${rowAt(at)}`)
  return (
    <Action
      label={t.verbs.award}
      hint={fill(t.comparison.awardHint, { most: number(most) })}
      when={mayUse(RFQ, 'award', rfq) && rows.some(({ compared: { unpriced: why } }) => why !== 'SEALED')}
      isPrimary
      isWide
      onOpen={begin}
      onRun={award}
      form={{ pathOf, review, blockedBy: blockedBy(rows, most) }}
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
      <SellerChoice />
    </Action>
  )
}
