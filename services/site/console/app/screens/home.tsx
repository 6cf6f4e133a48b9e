import type { ComponentChildren } from 'preact'
import { FINAL_ORDER_STATES, ORDER } from '../../../../../proto/states/orders.ts'
import type { Offer, Order, Rfq } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { date, fromNow, number } from '../format.ts'
import { can, mayUse, permits } from '../me.ts'
import { OrgName, PartTitle } from '../names.tsx'
import { counted, fill, t } from '../texts.ts'
import { Due, expectedDay } from '../ui/due.tsx'
import { Badge, Page, Section } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { hasDeclined } from './rfq-terms.tsx'
import { Standing } from './standing.tsx'

interface Waiting {
  id: string
  href: string
  title: ComponentChildren
  detail: ComponentChildren
  end: ComponentChildren
}

const Items = ({ items, empty }: { items: readonly Waiting[]; empty: string }) =>
  items.length === 0 ? (
    <Empty>{empty}</Empty>
  ) : (
    <ul class="items">
      {items.map(({ id, href, title, detail, end }) => (
        <li key={id}>
          <span>
            <a href={href}>{title}</a>
            <br />
            <small class="quiet">{detail}</small>
          </span>
          <span class="end">{end}</span>
        </li>
      ))}
    </ul>
  )

/** Open RFQs to which the organization is invited, the next to close first, with its own offer. */
function Invitations() {
  const rfqs = useList('/v1/rfqs', { query: { view: 'MANUFACTURER', state: 'OPEN', excludeExpired: true } })
  const offers = useList('/v1/offers', { query: { view: 'MANUFACTURER' } })
  const offerOf = ({ id }: Rfq): Offer | undefined => offers.data?.find(({ rfqId }) => rfqId === id)
  return (
    <Section title={t.home.invitations}>
      <Shown read={rfqs}>
        {(items) => (
          <Items
            empty={t.home.noInvitations}
            items={items
              .filter((rfq) => !hasDeclined(rfq))
              .toSorted((a, b) => a.expireTime.localeCompare(b.expireTime))
              .map((rfq) => {
                const offer = offerOf(rfq)
                return {
                  id: rfq.id,
                  href: `/console/rfqs/${rfq.id}/offer`,
                  title: <PartTitle id={rfq.partId} />,
                  detail: <OrgName id={rfq.consumerOrgId} />,
                  end: (
                    <>
                      {offer ? (
                        <Badge of="offer" state={offer.state} />
                      ) : (
                        <span class="badge wait">{t.home.noOffer}</span>
                      )}{' '}
                      <small>{fill(t.home.closes, { when: fromNow(rfq.expireTime) })}</small>
                    </>
                  ),
                }
              })}
          />
        )}
      </Shown>
    </Section>
  )
}

/** RFQs of the organization that wait for its award, with the number of their offers. */
function ToCompare() {
  const offers = useList('/v1/offers', { query: { view: 'CONSUMER', state: 'SUBMITTED' } })
  return (
    <Section title={t.home.toCompare}>
      <Shown read={offers}>
        {(items) => (
          <Items
            empty={t.home.nothingToCompare}
            items={[...Map.groupBy(items, ({ rfqId }) => rfqId)].map(([rfqId, of]) => ({
              id: rfqId,
              href: `/console/rfqs/${rfqId}/comparison`,
              title: <PartTitle id={of[0]?.partId ?? ''} />,
              detail: fill(t.home.validUntil, { day: date(of.map(({ validUntil }) => validUntil).sort()[0] ?? '') }),
              end: <span class="badge live">{counted(t.home.offers, of.length, number(of.length))}</span>,
            }))}
          />
        )}
      </Shown>
    </Section>
  )
}

/** Submitted offers that cannot be awarded until they are reconfirmed or revised. */
function OutdatedOffers() {
  const offers = useList('/v1/offers', { query: { view: 'MANUFACTURER', state: 'SUBMITTED' } })
  const outdated = offers.data?.filter(({ isOutdated }) => isOutdated) ?? []
  if (outdated.length === 0) return null
  return (
    <Section title={t.home.outdatedOffers}>
      <Items
        empty=""
        items={outdated.map(({ id, rfqId, partId, revision, reference }) => ({
          id,
          href: `/console/rfqs/${rfqId}/offer`,
          title: <PartTitle id={partId} />,
          detail: reference ?? fill(t.comparison.revision, { count: number(revision) }),
          end: <span class="badge wait">{t.home.outdated}</span>,
        }))}
      />
    </Section>
  )
}

/** Open RFQs of the organization that ask for a former revision of their part. */
function ChangedParts() {
  const rfqs = useList('/v1/rfqs', { query: { view: 'CONSUMER', state: 'OPEN', excludeExpired: true } })
  const changed = rfqs.data?.filter(({ partChanged }) => partChanged) ?? []
  if (changed.length === 0) return null
  return (
    <Section title={t.home.changedParts}>
      <Items
        empty=""
        items={changed.map(({ id, partId, serialNumber, expireTime }) => ({
          id,
          href: `/console/rfqs/${id}`,
          title: <PartTitle id={partId} />,
          detail: serialNumber,
          end: (
            <>
              <span class="badge wait">{t.home.changed}</span>{' '}
              <small>{fill(t.home.closes, { when: fromNow(expireTime) })}</small>
            </>
          ),
        }))}
      />
    </Section>
  )
}

const nextStep = (order: Order) =>
  (['confirm', 'start', 'inspect', 'ship', 'resume', 'deliver', 'complete'] as const).find((verb) =>
    mayUse(ORDER, verb, order),
  )

/** Orders under way, the earliest expected first, with the step that the caller can take. */
function OrdersDue() {
  const orders = useList('/flows/v1/orders', {})
  return (
    <Section title={t.home.orders}>
      <Shown read={orders}>
        {(items) => (
          <Items
            empty={t.home.noOrders}
            items={items
              .filter(({ state }) => !FINAL_ORDER_STATES.includes(state))
              .toSorted((a, b) => expectedDay(a).localeCompare(expectedDay(b)))
              .map((order) => {
                const step = nextStep(order)
                return {
                  id: order.id,
                  href: `/console/orders/${order.id}`,
                  title: <PartTitle id={order.partId} />,
                  detail: (
                    <>
                      {order.serialNumber} · {t.home.due} <Due order={order} />
                    </>
                  ),
                  end: (
                    <>
                      {step && <small>{fill(t.home.next, { step: t.verbs[step] })}</small>}{' '}
                      <Badge of="order" state={order.state} />
                    </>
                  ),
                }
              })}
          />
        )}
      </Shown>
    </Section>
  )
}

function PausedEndpoints() {
  const read = useRecord('/v2.3/webhooks/endpoints', {})
  const paused = read.data?.data.filter(({ status }) => status !== 'active') ?? []
  if (paused.length === 0) return null
  return (
    <Section title={t.home.paused}>
      <Items
        empty=""
        items={paused.map(({ id, url, description }) => ({
          id,
          href: `/console/webhooks/${id}`,
          title: new URL(url).host,
          detail: description ?? '',
          end: <span class="badge bad">{t.home.pausedBadge}</span>,
        }))}
      />
    </Section>
  )
}

/** What waits for the caller. */
export const Home = () => (
  <Page title={t.home.title}>
    <div class="columns wide">
      {can('app:manufacturer') && <Invitations />}
      {can('app:manufacturer') && <OutdatedOffers />}
      {can('app:consumer') && <ToCompare />}
      {can('app:consumer') && <ChangedParts />}
      <OrdersDue />
      <Standing />
      {permits('GET /v2.3/webhooks/endpoints') && <PausedEndpoints />}
    </div>
  </Page>
)
