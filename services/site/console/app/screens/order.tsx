import { ORDER } from '../../../../../proto/states/orders.ts'
import { at, type Milestone, market, type Order, post, type Shipment } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { date, number, region, time } from '../format.ts'
import { mayUse, orgId, permits } from '../me.ts'
import { FactoryName, OrgName, partTitle } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { DocumentLinks, Documents } from '../ui/documents.tsx'
import { Due } from '../ui/due.tsx'
import { Edit } from '../ui/edit.tsx'
import { PartFiles, useFiles } from '../ui/files.tsx'
import { dayOf, Field, localDay, textOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { Assignment } from './assignment.tsx'
import { Conversations } from './conversations.tsx'
import { Changes, decidersOf, useChanges, waitsForCaller } from './order-changes.tsx'
import { Shipments, useNeeds } from './order-shipments.tsx'
import { Standing } from './order-standing.tsx'
import { Steps } from './order-steps.tsx'
import { OrderTimeline } from './order-timeline.tsx'
import { totalFacts } from './order-totals.ts'
import { PrintedDocuments } from './printed-documents.tsx'
import { deliveryFact, PinnedPart } from './rfq-terms.tsx'

/** The planned steps, which the manufacturer adds and reports. */
function Milestones({ order }: { order: Order }) {
  const mayPlan = mayUse(ORDER, 'milestones', order)
  const read = () => market.GET('/v1/orders/{id}', at(order.id))
  const replace = (milestones: Milestone[], unchanged: { 'If-Match': string }) =>
    post('/flows/v1/orders/{id}/milestones', order.id, { milestones }, unchanged)
  const add = (data: FormData, unchanged: { 'If-Match': string }, present: Order) => {
    const plannedTime = dayOf(data, 'plannedTime')
    const name = textOf(data, 'name') ?? ''
    return replace([...present.milestones, { name, ...(plannedTime && { plannedTime }) }], unchanged)
  }
  const complete = (done: Milestone) => (_: FormData, unchanged: { 'If-Match': string }, present: Order) => {
    const text = JSON.stringify(done)
    const completedTime = new Date().toISOString()
    const completed = present.milestones.map((one) => (JSON.stringify(one) === text ? { ...one, completedTime } : one))
    return replace(completed, unchanged)
  }
  return (
    <Section
      title={t.orders.milestones}
      actions={
        <Edit
          label={t.ui.add}
          of={t.orders.milestone}
          when={mayPlan}
          read={read}
          onRun={add}
          form={{ pathOf: (field) => field.replace(/^milestones\.\d+\./, '') }}
        >
          {() => (
            <>
              <Field name="name" label={t.orders.milestone} isFocused />
              <Field name="plannedTime" label={t.orders.planned} type="date" value={localDay()} />
            </>
          )}
        </Edit>
      }
    >
      {order.milestones.length === 0 ? (
        <Empty />
      ) : (
        <ul class="items">
          {order.milestones.map((one, at) => (
            <li key={`${at} ${one.name}`}>
              <span>{one.name}</span>
              <span class="quiet">
                {one.completedTime
                  ? fill(t.orders.doneOn, { day: date(one.completedTime) })
                  : one.plannedTime && fill(t.orders.plannedFor, { day: date(one.plannedTime) })}{' '}
                {mayPlan && !one.completedTime && (
                  <Edit label={t.orders.done} hint={one.name} read={read} onRun={complete(one)} />
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** Where to deliver: what the RFQ says, which a seller and a distributor cannot read. */
function Delivery({ order: { rfqId, consumerOrgId, ipOwnerOrgId, manufacturerOrgId, delivery } }: { order: Order }) {
  const isReader = [consumerOrgId, ipOwnerOrgId, manufacturerOrgId].includes(orgId.value)
  const { data: rfq } = useRecord(isReader ? '/v1/rfqs/{id}' : undefined, { path: { id: rfqId } })
  if (!rfq) return null
  return (
    <Facts
      of={[
        [t.rfqs.country, !delivery && region(rfq.deliveryRegionCode)],
        [t.rfqs.incoterm, rfq.incoterm],
        [t.rfqs.requirements, rfq.requirements],
        [
          t.orders.request,
          <a key="rfq" href={`/console/rfqs/${rfqId}`}>
            {t.orders.openRequest}
          </a>,
        ],
      ]}
    />
  )
}

const RELEASABLE = ORDER.verbs.releaseFiles.from as readonly Order['state'][]

/**
 * When the confidential files were released for the production; the two that need to know learn that they are not. A
 * manufacturer lists those files only while they are released to it, also for its offer.
 */
function useReleaseOf({ filesReleasedTime, manufacturerOrgId, ipOwnerOrgId, partId, partRevision, state }: Order) {
  const { data: files } = useFiles({ partId, revision: partRevision })
  if (filesReleasedTime) return time(filesReleasedTime)
  if (!RELEASABLE.includes(state) || !files) return undefined
  const isListed = files.items.some(({ group }) => group === 'ip')
  if (ipOwnerOrgId === orgId.value) return isListed && t.orders.notReleasedByYou
  if (manufacturerOrgId !== orgId.value) return undefined
  return isListed && state === 'PLACED' ? t.orders.readableUntilConfirmed : t.orders.notReleased
}

/** The accepted offer with its documents, which a seller and a distributor cannot read. */
function AcceptedOffer({ order }: { order: Order }) {
  const { rfqId, offerId, consumerOrgId, ipOwnerOrgId, manufacturerOrgId } = order
  const isMaker = manufacturerOrgId === orgId.value
  const isReader = isMaker || [consumerOrgId, ipOwnerOrgId].includes(orgId.value)
  const { data: offer } = useRecord(isReader ? '/v1/offers/{id}' : undefined, { path: { id: offerId } })
  if (!offer) return null
  const page = isMaker ? '/offer' : consumerOrgId === orgId.value ? '/comparison' : ''
  return (
    <>
      <Facts
        of={[
          [
            isMaker ? t.offer.title : t.orders.offer,
            <a key="offer" href={`/console/rfqs/${rfqId}${page}`}>
              {offer.reference ?? fill(t.comparison.revision, { count: number(offer.revision) })}
            </a>,
          ],
        ]}
      />
      <DocumentLinks of="offer" id={offerId} />
    </>
  )
}

const OrderFacts = ({ order }: { order: Order }) => (
  <Section title={t.orders.order}>
    <Facts
      of={[
        [t.rfqs.part, <PinnedPart key="part" {...order} />],
        [
          t.parts.revisionNumber,
          order.partRevision &&
            fill(
              [order.consumerOrgId, order.manufacturerOrgId].includes(orgId.value)
                ? t.orders.forRevision
                : t.orders.ownersForRevision,
              { count: number(order.partRevision) },
            ),
        ],
        [t.orders.purchaseOrderNumber, order.purchaseOrderNumber],
        [t.orders.quantity, number(order.quantity)],
        ...totalFacts(order),
        [t.rfqs.paymentTerms, order.paymentTerms],
        deliveryFact(order.delivery),
        [t.orders.filesReleased, useReleaseOf(order)],
        [t.ui.reason, order.reason],
      ]}
    />
    <Delivery order={order} />
    <AcceptedOffer order={order} />
    <Facts
      of={[
        [t.orgRoles.CONSUMER, <OrgName key="consumer" id={order.consumerOrgId} />],
        [t.orgRoles.MANUFACTURER, <OrgName key="manufacturer" id={order.manufacturerOrgId} />],
        [t.rfqs.factory, <FactoryName key="factory" id={order.factoryId} />],
        [t.orgRoles.SELLER, <OrgName key="seller" id={order.sellerOrgId} />],
        [t.orgRoles.IP_OWNER, <OrgName key="ip" id={order.ipOwnerOrgId} />],
        [t.orgRoles.DISTRIBUTOR, order.distributorOrgId && <OrgName key="distributor" id={order.distributorOrgId} />],
      ]}
    />
  </Section>
)

/** The documents of the order, with those that its RFQ requires with each shipment. */
const OrderDocuments = ({ order, shipments }: { order: Order; shipments: readonly Shipment[] | undefined }) => (
  <Documents
    of="order"
    id={order.id}
    mayAdd={mayUse(ORDER, 'updateFiles', order)}
    mayRemove={mayUse(ORDER, 'removeFiles', order)}
    required={useNeeds(order)}
    shipments={shipments ?? []}
  />
)

function Ordered({ order }: { order: Order }) {
  const { id } = order
  const shipments = useList('/flows/v1/orders/{id}/shipments', { path: { id }, query: { pageSize: 50 } })
  const changes = useChanges(order)
  return (
    <Page
      title={partTitle(order.partId, order.serialNumber)}
      over={
        <>
          <a href="/console/orders">{t.nav.orders}</a> · {order.serialNumber} · {t.home.due} <Due order={order} />
        </>
      }
      picture={<Picture kind="order" url={pictureOf(order)} alt="" size="large" />}
      badge={<Badge of="order" state={order.state} />}
      actions={<Steps order={order} isElsewhere={waitsForCaller(order, changes)} />}
    >
      <div class="beside split">
        <div class="stack">
          <Standing order={order} deciders={decidersOf(order, changes)} />
          <Shipments order={order} list={shipments} />
          <Changes order={order} list={changes} />
          <OrderFacts order={order} />
        </div>
        <div class="stack">
          <div class="stack talk">
            <Conversations rfqId={order.rfqId} order={order} />
          </div>
          <PartFiles partId={order.partId} revision={order.partRevision} />
          <OrderDocuments order={order} shipments={shipments.data} />
          <PrintedDocuments order={order} />
          <OrderTimeline order={order} shipments={shipments} changes={changes} />
        </div>
        <div class="stack">
          <Milestones order={order} />
          {permits('GET /flows/v1/assignments') && <Assignment orderId={id} order={order} />}
        </div>
      </div>
    </Page>
  )
}

export function OrderScreen({ id = '' }: { id?: string }) {
  const read = useRecord('/v1/orders/{id}', { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(order) => <Ordered order={order} />}
    </Shown>
  )
}
