import { signal } from '@preact/signals'
import type { ComparedOffer, OfferComparison, Rfq } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { date, money, number } from '../format.ts'
import { orgId } from '../me.ts'
import { FactoryName, OrgName, PartTitle } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { DocumentLinks } from '../ui/documents.tsx'
import { useFilter } from '../ui/filters.ts'
import { bind, Filter } from '../ui/list.tsx'
import { Badge, Page, Section } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { SupplierLine } from '../ui/supplier-figures.tsx'
import { Award, amount, unpriced } from './award.tsx'

type Best = ComparedOffer['best'][number]

/** The rows of the table: what is compared, and the cell of an offer. */
const ROWS: readonly [field: Best, label: string, cellOf: (offer: ComparedOffer) => string | undefined][] = [
  ['unitPrice', t.comparison.unitPrice, ({ unitPrice }) => amount(unitPrice)],
  ['goodsTotal', t.comparison.goods, ({ goodsTotal }) => amount(goodsTotal)],
  ['toolingCost', t.comparison.tooling, ({ toolingCost }) => amount(toolingCost)],
  ['shippingCost', t.comparison.shipping, ({ shippingCost }) => amount(shippingCost)],
  ['landedTotal', t.comparison.landed, ({ landedTotal }) => amount(landedTotal)],
  [
    'leadTimeDays',
    t.comparison.leadTime,
    ({ leadTimeDays: days }) => (days === undefined ? undefined : fill(t.comparison.days, { count: number(days) })),
  ],
  ['validUntil', t.comparison.validUntil, ({ validUntil }) => date(validUntil)],
]

/** A total says what it lacks, because an offer that leaves out a price is not cheaper for it. */
const isWithoutShipping = ({ landedTotal, shippingCost }: ComparedOffer) => landedTotal && !shippingCost

/** Whether the window is too narrow for columns. */
const narrow = matchMedia('(max-width: 48rem)')
const isNarrow = signal(narrow.matches)
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

const Value = ({ offer, field, value }: { offer: ComparedOffer; field: Best; value: string | undefined }) => (
  <>
    {offer.best.includes(field) && <span class="mark">{t.comparison.best}</span>}{' '}
    {value ?? <span class="quiet">{unpriced(offer)}</span>}
    {field === 'landedTotal' && isWithoutShipping(offer) && <small class="quiet">{t.comparison.withoutShipping}</small>}
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
const Cards = ({ quantity, offers, rfq }: OfferComparison & { rfq: Rfq }) => (
  <section class="stack" aria-label={fill(t.comparison.offersFor, { pieces: number(quantity) })}>
    {offers.map((offer) => (
      <article key={offer.offerId} class="offer" aria-label={offer.manufacturerName}>
        <h2>
          <OfferName offer={offer} />
        </h2>
        <dl class="facts">
          {ROWS.map(([field, label, cellOf]) => (
            <div key={field} class={offer.best.includes(field) ? 'best' : ''}>
              <dt>{label}</dt>
              <dd>
                <Value offer={offer} field={field} value={cellOf(offer)} />
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
const Offers = ({ quantity, offers, rfq }: OfferComparison & { rfq: Rfq }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
  <section class="scroll" tabIndex={0} aria-label={fill(t.comparison.offersFor, { pieces: number(quantity) })}>
    <table class="compared">
      <caption>{fill(t.comparison.offersFor, { pieces: number(quantity) })}</caption>
      <thead>
        <tr>
          <td />
          {offers.map((offer) => (
            <th key={offer.offerId} scope="col">
              <OfferName offer={offer} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([field, label, cellOf]) => (
          <tr key={field} class={field === 'landedTotal' ? 'total' : ''}>
            <th scope="row">{label}</th>
            {offers.map((offer) => {
              const isBest = offer.best.includes(field)
              return (
                <td key={offer.offerId} class={isBest ? 'number best' : 'number'}>
                  <Value offer={offer} field={field} value={cellOf(offer)} />
                </td>
              )
            })}
          </tr>
        ))}
        <tr>
          <th scope="row">{t.rfqs.paymentTerms}</th>
          {offers.map((offer) => (
            <td key={offer.offerId} class="text">
              <PaymentTerms rfq={rfq} offer={offer} />
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">{t.documents.title}</th>
          {offers.map(({ offerId, unpriced: why }) => (
            <td key={offerId}>{why !== 'SEALED' && <DocumentLinks of="offer" id={offerId} />}</td>
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

const totalOf = ({ landedTotal }: ComparedOffer) => Number(landedTotal?.amount ?? 0)

/** The landed totals at one quantity as bars, the longest of which fills the width. */
function Bars({ rfqId, quantity }: { rfqId: string; quantity: number }) {
  const read = useRecord('/flows/v1/rfqs/{id}/comparison', { path: { id: rfqId }, query: { quantity } })
  const offers = [...(read.data?.offers ?? [])].sort((a, b) => a.manufacturerName.localeCompare(b.manufacturerName))
  const longest = Math.max(1, ...offers.map(totalOf))
  return (
    <div class="bars">
      <h3>{fill(t.comparison.pieces, { count: number(quantity) })}</h3>
      <dl>
        {offers.map((offer) => (
          <div key={offer.offerId}>
            <dt>{offer.manufacturerName}</dt>
            <dd>
              <svg aria-hidden="true" class={offer.best.includes('landedTotal') ? 'best' : ''}>
                <rect height="100%" rx="3" width={`${(totalOf(offer) / longest) * 100}%`} />
              </svg>
              <span class="number">{amount(offer.landedTotal) ?? unpriced(offer)}</span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function PlacedOrders({ rfqId }: { rfqId: string }) {
  const { data = [] } = useList('/flows/v1/orders', { query: { rfqId } })
  return (
    <Section title={t.comparison.placed}>
      <ul class="items">
        {data.map(({ id, serialNumber, manufacturerOrgId, quantity, total, state }) => (
          <li key={id}>
            <span>
              <a href={`/console/orders/${id}`}>{serialNumber}</a> <OrgName id={manufacturerOrgId} />
            </span>
            <span class="number">
              {fill(t.comparison.pieces, { count: number(quantity) })} · {money(total)}{' '}
              <Badge of="order" state={state} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Compared({ rfq }: { rfq: Rfq }) {
  const quantities = rfq.quantities.map(String)
  const chosen = useFilter('quantity', String(Math.max(...rfq.quantities)), quantities)
  const quantity = Number(chosen.value)
  const read = useRecord('/flows/v1/rfqs/{id}/comparison', {
    path: { id: rfq.id },
    query: { quantity },
  })
  const isSealed = rfq.sealed && rfq.state === 'OPEN'
  return (
    <Page
      title={t.comparison.title}
      over={
        <>
          <a href={`/console/rfqs/${rfq.id}`}>{rfq.serialNumber}</a> · <PartTitle id={rfq.partId} />
        </>
      }
      badge={<Badge of="rfq" state={rfq.state} />}
      actions={read.data && rfq.consumerOrgId === orgId.value && <Award rfq={rfq} comparison={read.data} />}
    >
      {isSealed && <p class="hint">{t.comparison.sealed}</p>}
      {rfq.partChanged && <p class="hint">{t.rfqs.partChanged}</p>}
      {rfq.state === 'AWARDED' && <PlacedOrders rfqId={rfq.id} />}
      <section class="panel">
        <div class="filters">
          <Filter
            label={t.orders.quantity}
            {...bind(chosen)}
            options={quantities.map((each) => [each, fill(t.comparison.pieces, { count: number(Number(each)) })])}
          />
        </div>
        <Shown read={read}>
          {(comparison) =>
            comparison.offers.length === 0 ? (
              <Empty>{t.comparison.none}</Empty>
            ) : isNarrow.value ? (
              <Cards {...comparison} rfq={rfq} />
            ) : (
              <Offers {...comparison} rfq={rfq} />
            )
          }
        </Shown>
      </section>
      {!isSealed && read.data && read.data.offers.length > 0 && (
        <Section title={t.comparison.landed}>
          <div class="columns">
            {rfq.quantities.map((each) => (
              <Bars key={each} rfqId={rfq.id} quantity={each} />
            ))}
          </div>
        </Section>
      )}
    </Page>
  )
}

export function Comparison({ id = '' }: { id?: string }) {
  const read = useRecord('/v1/rfqs/{id}', { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(rfq) => <Compared rfq={rfq} />}
    </Shown>
  )
}
