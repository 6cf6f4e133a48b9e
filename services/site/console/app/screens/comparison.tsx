import { signal } from '@preact/signals'
import type { ComparedOffer, Rfq } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { money, pieces } from '../format.ts'
import { orgId } from '../me.ts'
import { OrgName, PartTitle } from '../names.tsx'
import { t } from '../texts.ts'
import { Due } from '../ui/due.tsx'
import { useFilter } from '../ui/filters.ts'
import { bind, Filter } from '../ui/list.tsx'
import { Badge, Page, Section } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Award, amount, unpriced } from './award.tsx'
import { sellerOptions, useSellers } from './award-sellers.tsx'
import { Cards, Offers } from './comparison-table.tsx'
import { MissingPieces, Reaward } from './reaward.tsx'
import { Verdict } from './verdict.tsx'

/** Whether the window is too narrow for columns. */
const narrow = matchMedia('(max-width: 48rem)')
const isNarrow = signal(narrow.matches)
narrow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

const totalOf = ({ landedTotal }: ComparedOffer) => Number(landedTotal?.amount ?? 0)

/** The landed totals at one quantity as bars, the longest of which fills the width. */
function Bars({ rfqId, quantity }: { rfqId: string; quantity: number }) {
  const read = useRecord('/flows/v1/rfqs/{id}/comparison', { path: { id: rfqId }, query: { quantity } })
  const offers = [...(read.data?.offers ?? [])].sort((a, b) => a.manufacturerName.localeCompare(b.manufacturerName))
  const longest = Math.max(1, ...offers.map(totalOf))
  return (
    <div class="bars">
      <h3>{pieces(quantity)}</h3>
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
        {data.map(({ id, serialNumber, manufacturerOrgId, quantity, total, state, ...dates }) => (
          <li key={id}>
            <span>
              <a href={`/console/orders/${id}`}>{serialNumber}</a> <OrgName id={manufacturerOrgId} />
            </span>
            <span class="number">
              {pieces(quantity)} · {money(total)} <Due order={{ ...dates, state }} /> <Badge of="order" state={state} />
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
  const sellers = useSellers(rfq)
  const seller = useFilter(
    'seller',
    '',
    sellers.map(({ sellerOrgId }) => sellerOrgId),
  )
  const sellerOrgId = seller.value
  const read = useRecord('/flows/v1/rfqs/{id}/comparison', {
    path: { id: rfq.id },
    query: { quantity, ...(sellerOrgId && { sellerOrgId }) },
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
      picture={<Picture kind="rfq" url={pictureOf(rfq)} alt="" size="large" />}
      badge={<Badge of="rfq" state={rfq.state} />}
      actions={
        rfq.consumerOrgId === orgId.value && (
          <>
            <Reaward rfq={rfq} />
            {read.data && <Award rfq={rfq} comparison={read.data} sellerOrgId={sellerOrgId} />}
          </>
        )
      }
    >
      {isSealed && <p class="hint">{t.comparison.sealed}</p>}
      {rfq.partChanged && (
        <p class="hint">
          {t.rfqs.partChanged} {t.rfqs.partChangedForConsumer}
        </p>
      )}
      {rfq.state === 'AWARDED' && <PlacedOrders rfqId={rfq.id} />}
      <section class="panel">
        <div class="filters">
          <Filter
            label={t.orders.quantity}
            {...bind(chosen)}
            options={quantities.map((each) => [each, pieces(Number(each))])}
          />
          {sellers.length > 0 && (
            <Filter label={t.comparison.seller} {...bind(seller)} options={sellerOptions(sellers)} />
          )}
        </div>
        <Shown read={read}>
          {(comparison) =>
            comparison.offers.length === 0 ? (
              <>
                <Empty>{rfq.state === 'CLOSED' ? t.comparison.noneLeft : t.comparison.none}</Empty>
                <MissingPieces rfq={rfq} />
              </>
            ) : (
              <>
                {!isSealed && <Verdict offers={comparison.offers} rfq={rfq} />}
                {isNarrow.value ? (
                  <Cards {...comparison} rfq={rfq} sellerOrgId={sellerOrgId} />
                ) : (
                  <Offers {...comparison} rfq={rfq} sellerOrgId={sellerOrgId} />
                )}
              </>
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
