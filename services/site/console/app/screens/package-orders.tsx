import { sumOf } from '../amounts.ts'
import { market, type Order, type PackageComparison } from '../api.ts'
import { useOnce } from '../data.ts'
import { money, number } from '../format.ts'
import { inParallel } from '../in-parallel.ts'
import { OrgName } from '../names.tsx'
import { t } from '../texts.ts'
import { Due } from '../ui/due.tsx'
import { Table } from '../ui/list.tsx'
import { Badge } from '../ui/page.tsx'
import { titleOf } from './package-texts.ts'

async function readOrders(rfqIds: readonly string[]): Promise<Order[]> {
  const pages = await inParallel(rfqIds, (rfqId) =>
    market.GET('/flows/v1/orders', { params: { query: { view: 'CONSUMER', rfqId, pageSize: 50 } } }),
  )
  return pages.flatMap(({ data }) => data.items)
}

/** The orders of the awarded lines with their total. */
export function PackageOrders({ comparison: { lines, currency } }: { comparison: PackageComparison }) {
  const awarded = lines.filter(({ state }) => state === 'AWARDED').map(({ rfqId }) => rfqId)
  const { data: orders = [] } = useOnce(awarded.join() || undefined, () => readOrders(awarded))
  if (orders.length === 0) return null
  const titles = new Map(lines.map((line) => [line.rfqId, titleOf(line)]))
  const total = sumOf(...orders.map((order) => [order.total.amount, 1] as const))
  return (
    <section aria-label={t.comparison.placed}>
      <h3>{t.comparison.placed}</h3>
      <Table
        caption={t.comparison.placed}
        items={orders}
        idOf={({ id }) => id}
        columns={[
          {
            label: t.orders.order,
            cell: ({ id, rfqId, serialNumber }) => (
              <>
                <a href={`/console/orders/${id}`}>{titles.get(rfqId)}</a> <small class="quiet">{serialNumber}</small>
              </>
            ),
          },
          { label: t.rfqs.manufacturer, cell: ({ manufacturerOrgId }) => <OrgName id={manufacturerOrgId} /> },
          { label: t.orders.quantity, cell: ({ quantity }) => number(quantity), isNumber: true },
          { label: t.orders.due, cell: (order) => <Due order={order} /> },
          { label: t.ui.state, cell: ({ state }) => <Badge of="order" state={state} /> },
          { label: t.orders.total, cell: (order) => money(order.total), isNumber: true },
        ]}
      />
      <p>
        {t.packages.total}: <strong>{money({ amount: total, currency })}</strong>
      </p>
    </section>
  )
}
