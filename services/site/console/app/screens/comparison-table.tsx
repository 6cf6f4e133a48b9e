import { sumOf } from '../amounts.ts'
import type { ComparedOffer, OfferComparison, Rfq } from '../api.ts'
import { useRecord } from '../data.ts'
import { date, dayCount, money, number } from '../format.ts'
import { FactoryName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { DocumentLinks } from '../ui/documents.tsx'
import { Mark } from '../ui/icon.tsx'
import { Badge } from '../ui/page.tsx'
import { SortButton, sorted, useOrder } from '../ui/sorting.tsx'
import { SupplierLine } from '../ui/supplier-figures.tsx'
import { amount, unpriced } from './award.tsx'

type Best = ComparedOffer['best'][number]
type Row = readonly [field: Best | undefined, label: string, cellOf: (offer: ComparedOffer) => string | undefined]

/** The rows of the table: what is compared, and the cell of an offer. */
const ROWS: readonly Row[] = [
  ['unitPrice', t.comparison.unitPrice, ({ unitPrice }) => amount(unitPrice)],
  ['goodsTotal', t.comparison.goods, ({ goodsTotal }) => amount(goodsTotal)],
  ['toolingCost', t.comparison.tooling, ({ toolingCost }) => amount(toolingCost)],
  ['shippingCost', t.comparison.shipping, ({ shippingCost }) => amount(shippingCost)],
  ['landedTotal', t.comparison.landed, ({ landedTotal }) => amount(landedTotal)],
  [
    'leadTimeDays',
    t.comparison.leadTime,
    ({ leadTimeDays: days }) => (days === undefined ? undefined : dayCount(days)),
  ],
  ['validUntil', t.comparison.validUntil, ({ validUntil }) => date(validUntil)],
]

/** The rows of a chosen seller: its fee, and the total with it. */
const feeRows = (sellerOrgId: string): readonly Row[] => [
  [
    undefined,
    t.comparison.sellerFee,
    ({ landedTotal, sellerFee, manufacturerOrgId }) =>
      amount(sellerFee) ?? (landedTotal && manufacturerOrgId !== sellerOrgId ? t.comparison.noAgreement : '–'),
  ],
  [
    undefined,
    t.comparison.withFee,
    ({ landedTotal, sellerFee }) =>
      landedTotal && sellerFee
        ? money({ ...landedTotal, amount: sumOf([landedTotal.amount, 1], [sellerFee.amount, 1]) })
        : '–',
  ],
]

/** Every row; those of a chosen seller follow the total. */
const rowsOf = (sellerOrgId: string) =>
  ROWS.flatMap((row) => (row[0] === 'landedTotal' && sellerOrgId ? [row, ...feeRows(sellerOrgId)] : [row]))

const amountOf = (value: { amount: string } | undefined) => value && Number(value.amount)

/** What the columns can be sorted by, with the label of its row. */
const SORT_KEYS: ReadonlyMap<string, (offer: ComparedOffer) => string | number | undefined> = new Map([
  [t.comparison.unitPrice, ({ unitPrice }: ComparedOffer) => amountOf(unitPrice)],
  [t.comparison.goods, ({ goodsTotal }: ComparedOffer) => amountOf(goodsTotal)],
  [t.comparison.tooling, ({ toolingCost }: ComparedOffer) => amountOf(toolingCost)],
  [t.comparison.shipping, ({ shippingCost }: ComparedOffer) => amountOf(shippingCost)],
  [t.comparison.landed, ({ landedTotal }: ComparedOffer) => amountOf(landedTotal)],
  [t.comparison.leadTime, ({ leadTimeDays }: ComparedOffer) => leadTimeDays],
])

interface ComparedProps extends OfferComparison {
  rfq: Rfq
  sellerOrgId: string
}

/**
 * A total says what it lacks, because an offer that leaves out a price is not cheaper for it. Tooling is only lacking
 * where another offer states it, because many parts need none.
 */
const lackedBy = (
  { landedTotal, toolingCost, shippingCost }: ComparedOffer,
  hasTooling: boolean,
): readonly string[] => [
  ...(landedTotal && !toolingCost && hasTooling ? [t.comparison.withoutTooling] : []),
  ...(landedTotal && !shippingCost ? [t.comparison.withoutShipping] : []),
]

const isBest = ({ best }: ComparedOffer, field: Row[0]) => field !== undefined && best.includes(field)

interface ValueProps {
  offer: ComparedOffer
  field: Row[0]
  value: string | undefined
  /** Whether one of the offers states tooling. */
  hasTooling: boolean
}

const statesTooling = (offers: readonly ComparedOffer[]) => offers.some(({ toolingCost }) => toolingCost)

const Value = ({ offer, field, value, hasTooling }: ValueProps) => (
  <>
    {isBest(offer, field) && <Mark said={t.comparison.best} />} {value ?? <span class="quiet">{unpriced(offer)}</span>}
    {field === 'landedTotal' &&
      lackedBy(offer, hasTooling).map((text) => (
        <small key={text} class="quiet">
          {text}
        </small>
      ))}
  </>
)

/** What an offer is called, with its standing. */
const OfferName = ({ offer }: { offer: ComparedOffer }) => (
  <>
    {offer.manufacturerName}
    <small>
      <FactoryName id={offer.factoryId} /> · {fill(t.comparison.revision, { count: number(offer.revision) })}
    </small>
    <SupplierLine id={offer.manufacturerOrgId} />
    {offer.isOutdated && <small class="hint">{t.comparison.outdated}</small>}
    {offer.state === 'ACCEPTED' && <Badge of="offer" state={offer.state} />}
  </>
)

/** The payment terms of an offer: its own, or those of the RFQ. Sealed ones are not readable. */
function PaymentTerms({ rfq, offer: { offerId, unpriced: why } }: { rfq: Rfq; offer: ComparedOffer }) {
  const { data } = useRecord(why === 'SEALED' ? undefined : '/v1/offers/{id}', { path: { id: offerId } })
  return (
    <>{data ? (data.paymentTerms ?? rfq.paymentTerms ?? <span class="quiet">{t.comparison.notStated}</span>) : ''}</>
  )
}

/** A card for each offer. */
export const Cards = ({ quantity, offers, rfq, sellerOrgId }: ComparedProps) => (
  <section class="stack" aria-label={fill(t.comparison.offersFor, { pieces: number(quantity) })}>
    {offers.map((offer) => (
      <article key={offer.offerId} class="offer" aria-label={offer.manufacturerName}>
        <h2>
          <OfferName offer={offer} />
        </h2>
        <dl class="facts">
          {rowsOf(sellerOrgId).map(([field, label, cellOf]) => (
            <div key={label} class={isBest(offer, field) ? 'best' : ''}>
              <dt>{label}</dt>
              <dd>
                <Value offer={offer} field={field} value={cellOf(offer)} hasTooling={statesTooling(offers)} />
              </dd>
            </div>
          ))}
          <div>
            <dt>{t.rfqs.paymentTerms}</dt>
            <dd>
              <PaymentTerms rfq={rfq} offer={offer} />
            </dd>
          </div>
          {offer.notes && (
            <div>
              <dt>{t.offer.notes}</dt>
              <dd>{offer.notes}</dd>
            </div>
          )}
        </dl>
        {offer.unpriced !== 'SEALED' && <DocumentLinks of="offer" id={offer.offerId} />}
      </article>
    ))}
  </section>
)

/** Offers as columns. The best value of a row is not marked by colour only. */
export function Offers({ quantity, offers: listed, rfq, sellerOrgId }: ComparedProps) {
  const order = useOrder()
  const sortKey = SORT_KEYS.get(order.by.value ?? '')
  const offers = sortKey ? sorted(listed, sortKey, order.isDown.value) : listed
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
    <section class="scroll" tabIndex={0} aria-label={fill(t.comparison.offersFor, { pieces: number(quantity) })}>
      <table class="compared">
        <caption>{fill(t.comparison.offersFor, { pieces: number(quantity) })}</caption>
        <thead>
          <tr>
            <td />
            {offers.map((offer) => (
              <th key={offer.offerId} scope="col" class={isBest(offer, 'landedTotal') ? 'lead-column' : ''}>
                <OfferName offer={offer} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(sellerOrgId).map(([field, label, cellOf]) => (
            <tr key={label} class={field === 'landedTotal' ? 'total' : ''}>
              <th scope="row" aria-sort={SORT_KEYS.has(label) ? order.of(label) : undefined}>
                {SORT_KEYS.has(label) ? <SortButton order={order} by={label} label={label} isAcross /> : label}
              </th>
              {offers.map((offer) => {
                return (
                  <td
                    key={offer.offerId}
                    class={['number', isBest(offer, 'landedTotal') && 'lead-column', isBest(offer, field) && 'best']
                      .filter(Boolean)
                      .join(' ')}
                  >
                    <Value offer={offer} field={field} value={cellOf(offer)} hasTooling={statesTooling(offers)} />
                  </td>
                )
              })}
            </tr>
          ))}
          <tr>
            <th scope="row">{t.rfqs.paymentTerms}</th>
            {offers.map((offer) => (
              <td key={offer.offerId} class={isBest(offer, 'landedTotal') ? 'text lead-column' : 'text'}>
                <PaymentTerms rfq={rfq} offer={offer} />
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">{t.documents.title}</th>
            {offers.map((offer) => (
              <td key={offer.offerId} class={isBest(offer, 'landedTotal') ? 'lead-column' : ''}>
                {offer.unpriced !== 'SEALED' && <DocumentLinks of="offer" id={offer.offerId} />}
              </td>
            ))}
          </tr>
          {offers.some(({ notes }) => notes) && (
            <tr>
              <th scope="row">{t.offer.notes}</th>
              {offers.map(({ offerId, notes }) => (
                <td key={offerId} class="text">
                  {notes}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}
