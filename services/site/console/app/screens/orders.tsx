import { ORDER } from '../../../../../proto/states/orders.ts'
import type { Order, OrderState, OrgRole } from '../api.ts'
import { useList } from '../data.ts'
import { money, number } from '../format.ts'
import { me, orgId, permits } from '../me.ts'
import { OrgName, PartTitle } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Due } from '../ui/due.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { bind, type Column, Filter, ListTable, orAll, Search, StateFilter } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { nextOf, waitsForOrg } from './order-standing.tsx'

/** The rejected pieces of an order, with the way to their newest case, and those that are made again. */
function Rejected({ order: { id, rejectedQuantity = 0, remadeQuantity = 0 } }: { order: Order }) {
  const isRead = rejectedQuantity > 0 && permits('GET /flows/v1/cases')
  const { data = [] } = useList(isRead ? '/flows/v1/cases' : undefined, { query: { kind: 'QUALITY', pageSize: 50 } })
  if (rejectedQuantity === 0) return null
  const rejection = data.find(({ orderId }) => orderId === id)
  return (
    <>
      <a class="badge bad" href={rejection ? `/console/cases/${rejection.id}` : `/console/orders/${id}`}>
        {fill(t.orders.rejectedChip, { count: number(rejectedQuantity) })}
      </a>
      {remadeQuantity > 0 && (
        <a class="badge wait" href={`/console/orders/${id}`}>
          {fill(t.orders.replacedChip, { count: number(remadeQuantity) })}
        </a>
      )}
    </>
  )
}

const COLUMNS: readonly Column<Order>[] = [
  {
    label: t.rfqs.part,
    cell: ({ id, partId, serialNumber }) => (
      <>
        <a href={`/console/orders/${id}`}>
          <PartTitle id={partId} />
        </a>{' '}
        <small class="quiet">{serialNumber}</small>
      </>
    ),
  },
  {
    label: t.orders.partner,
    cell: ({ consumerOrgId, manufacturerOrgId }) => (
      <OrgName id={consumerOrgId === orgId.value ? manufacturerOrgId : consumerOrgId} />
    ),
  },
  { label: t.orders.quantity, cell: ({ quantity }) => number(quantity), isNumber: true },
  { label: t.orders.total, cell: ({ total, settledTotal = total }) => money(settledTotal), isNumber: true },
  { label: t.orders.due, cell: (order) => <Due order={order} /> },
  {
    label: t.ui.state,
    isClear: true,
    cell: (order) => (
      <span class="chips">
        <Badge of="order" state={order.state} />
        <Rejected order={order} />
      </span>
    ),
  },
  {
    label: t.ui.nextStep,
    isClear: true,
    cell: (order) => <span class={waitsForOrg(order) ? 'next own' : 'next'}>{nextOf(order)[0]}</span>,
  },
]

/** The orders in which the organization has a role. */
export function Orders() {
  const roles = me.value?.organization.roles ?? []
  const view = useFilter<OrgRole | ''>('view', '', roles)
  const state = useFilter<OrderState | ''>('state', '', ORDER.states)
  const q = useFilter('q', '')
  const list = useList('/flows/v1/orders', { query: setIn({ view, state, q }) })
  return (
    <Page title={t.nav.orders}>
      <section class="panel list">
        <div class="filters">
          {roles.length > 1 && (
            <Filter
              label={t.rfqs.view}
              {...bind(view)}
              options={orAll(roles.map((role) => [role, t.orgRoles[role]]))}
            />
          )}
          <StateFilter of="order" states={ORDER.states} state={state} />
          <Search {...bind(q)} />
        </div>
        <ListTable
          caption={t.nav.orders}
          list={list}
          columns={COLUMNS}
          empty={t.orders.empty}
          icon="package"
          picture={(order) => <Picture kind="order" url={pictureOf(order)} alt="" />}
        />
      </section>
    </Page>
  )
}
