import { ORDER } from '../../../../../proto/states/orders.ts'
import type { Order, OrderState, OrgRole } from '../api.ts'
import { useList } from '../data.ts'
import { money, number } from '../format.ts'
import { me, orgId } from '../me.ts'
import { OrgName, PartTitle } from '../names.tsx'
import { t } from '../texts.ts'
import { Due } from '../ui/due.tsx'
import { useFilter } from '../ui/filters.ts'
import { bind, type Column, Filter, ListTable, Search } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { nextOf, waitsForOrg } from './order-standing.tsx'

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
  { label: t.ui.state, isClear: true, cell: ({ state }) => <Badge of="order" state={state} /> },
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
  const query = {
    ...(view.value && { view: view.value }),
    ...(state.value && { state: state.value }),
    ...(q.value && { q: q.value }),
  }
  const list = useList('/flows/v1/orders', { query })
  return (
    <Page title={t.nav.orders}>
      <section class="panel list">
        <div class="filters">
          {roles.length > 1 && (
            <Filter
              label={t.rfqs.view}
              {...bind(view)}
              options={[['', t.ui.all], ...roles.map((role) => [role, t.orgRoles[role]] as const)]}
            />
          )}
          <Filter
            label={t.ui.state}
            {...bind(state)}
            options={[['', t.ui.all], ...ORDER.states.map((each) => [each, t.states.order[each]] as const)]}
          />
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
