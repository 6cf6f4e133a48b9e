import type { Order } from '../api.ts'
import { date } from '../format.ts'
import { fill, t } from '../texts.ts'

type Dated = Pick<Order, 'dueDate' | 'expectedDate' | 'state'>

/** The day on which the delivery is expected now. */
const expectedDay = ({ dueDate, expectedDate }: Dated) => expectedDate ?? dueDate

const ARRIVED: readonly Order['state'][] = ['DELIVERED', 'COMPLETED', 'DECLINED', 'CANCELLED']

/** Whether a later day than the agreed one is announced, or the agreed one has passed without a delivery. */
const isLate = ({ dueDate, expectedDate, state }: Dated) =>
  expectedDate !== undefined || (!ARRIVED.includes(state) && dueDate < new Date().toISOString().slice(0, 10))

/** The expected day of delivery; a late order has a mark, and shows the agreed day unless that is beside it. */
export const Due = ({ order, isShort = false }: { order: Dated; isShort?: boolean }) => (
  <span>
    <span class="day">{date(expectedDay(order))}</span>
    {order.expectedDate && !isShort && (
      <small class="quiet"> {fill(t.orders.agreed, { day: date(order.dueDate) })}</small>
    )}{' '}
    {isLate(order) && <span class="badge bad">{t.orders.late}</span>}
  </span>
)
