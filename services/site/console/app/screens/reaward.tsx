import { RFQ } from '../../../../../proto/states/rfqs.ts'
import type { Order, Rfq } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { number } from '../format.ts'
import { mayUse, orgId } from '../me.ts'
import { FactoryName, OrgName } from '../names.tsx'
import { counted, fill, t } from '../texts.ts'
import { Due } from '../ui/due.tsx'
import { type Column, ListTable } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { Award, type Placing } from './award.tsx'

/** Places the missing pieces with offers that were reinstated, and with those of the award. */
export function Reaward({ rfq }: { rfq: Rfq }) {
  const { id, missingQuantity: most } = rfq
  const may = most !== undefined && mayUse(RFQ, 'reaward', rfq)
  const read = useRecord(may ? '/flows/v1/rfqs/{id}/comparison' : undefined, {
    path: { id },
    query: { quantity: most ?? 1 },
  })
  if (!may || !read.data) return null
  const placing: Placing = {
    verb: 'reaward',
    label: t.reaward.place,
    hint: fill(t.reaward.hint, { most: number(most) }),
    most,
    tooMany: t.reaward.tooMany,
    states: ['SUBMITTED', 'ACCEPTED'],
  }
  return <Award rfq={rfq} comparison={read.data} placing={placing} />
}

const isLost = ({ state }: Order) => state === 'DECLINED' || state === 'CANCELLED'

/** The consumer learns which pieces of an award are missing, or why the RFQ is closed again. */
export function MissingPieces({ rfq }: { rfq: Rfq }) {
  const isOwn = rfq.consumerOrgId === orgId.value
  const isClosed = isOwn && rfq.state === 'CLOSED'
  const orders = useList(isClosed ? '/flows/v1/orders' : undefined, { query: { rfqId: rfq.id } })
  if (isClosed && orders.data?.some(isLost)) {
    return (
      <p class="hint" role="status">
        {t.reaward.returned}
      </p>
    )
  }
  const { missingQuantity: count } = rfq
  if (!isOwn || count === undefined) return null
  return (
    <Section title={t.reaward.title} actions={<Reaward rfq={rfq} />}>
      <p class="hint" role="status">
        <strong>{counted(t.reaward.missing, count, number(count))}</strong> {t.reaward.why}
      </p>
    </Section>
  )
}

const COLUMNS: readonly Column<Order>[] = [
  {
    label: t.orders.order,
    cell: ({ id, serialNumber }) => <a href={`/console/orders/${id}`}>{serialNumber}</a>,
  },
  {
    label: t.rfqs.manufacturer,
    cell: ({ manufacturerOrgId, factoryId }) => (
      <>
        <OrgName id={manufacturerOrgId} />{' '}
        <small class="quiet">
          <FactoryName id={factoryId} />
        </small>
      </>
    ),
  },
  { label: t.orders.quantity, cell: ({ quantity }) => number(quantity), isNumber: true },
  { label: t.orders.due, cell: (order) => <Due order={order} /> },
  {
    label: t.ui.state,
    cell: (order) => (
      <>
        <Badge of="order" state={order.state} /> {isLost(order) && order.reason}
      </>
    ),
  },
]

/** The orders that awards of the RFQ placed, with why some were lost. */
export function AwardOrders({ rfq: { id, state } }: { rfq: Rfq }) {
  const list = useList('/flows/v1/orders', { query: { rfqId: id } })
  if (state === 'CLOSED' && !list.data?.length) return null
  return (
    <Section title={t.nav.orders}>
      <ListTable caption={t.nav.orders} list={list} columns={COLUMNS} />
    </Section>
  )
}
