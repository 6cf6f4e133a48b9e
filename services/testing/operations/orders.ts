import type { OrderState } from '../../../proto/states/orders.ts'

import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { insertAssignedOrder, insertShipment } from '../orders.ts'

/** An order between organizations that are no accounts, of which the account's organization has one role. */
async function orderOf(
  { market }: Fixtures,
  role: 'consumerOrgId' | 'manufacturerOrgId' | 'ipOwnerOrgId',
  { orgId }: Account,
  state: OrderState,
): Promise<string> {
  const outsider = newId('org')
  return insertAssignedOrder(market.db.owner, {
    consumerOrgId: outsider,
    ipOwnerOrgId: outsider,
    manufacturerOrgId: outsider,
    sellerOrgId: outsider,
    [role]: orgId,
    partId: newId('part'),
    factoryId: newId('factory'),
    state,
    heldState: state === 'ON_HOLD' ? 'CONFIRMED' : null,
  })
}

export const boughtOrder = (fixtures: Fixtures, account: Account, state: OrderState) =>
  orderOf(fixtures, 'consumerOrgId', account, state)

export const ownedOrder = (fixtures: Fixtures, account: Account) => orderOf(fixtures, 'ipOwnerOrgId', account, 'PLACED')

export const madeOrder = (fixtures: Fixtures, account: Account, state: OrderState) =>
  orderOf(fixtures, 'manufacturerOrgId', account, state)

/** An order of the account's organization, all of whose pieces are received, two of them rejected. */
async function rejected(fixtures: Fixtures, orderId: string): Promise<string> {
  await insertShipment(fixtures.market.db.owner, orderId, 'RECEIVED', 2)
  return orderId
}

export const rejectedOrder = async (fixtures: Fixtures, account: Account) =>
  rejected(fixtures, await madeOrder(fixtures, account, 'IN_PRODUCTION'))

/** An order of the account's organization of which two rejected pieces are proposed to be made again. */
export async function orderWithRemake(fixtures: Fixtures, account: Account): Promise<string> {
  const orderId = await rejected(fixtures, await boughtOrder(fixtures, account, 'IN_PRODUCTION'))
  await fixtures.market.db.owner`
    update sourcing.orders set proposed_remake_quantity = 2, remake_proposed_at = now() where id = ${orderId}`
  return orderId
}

/** A shipment of ten pieces to the account's organization, with its order. */
export async function sentShipment(fixtures: Fixtures, account: Account) {
  const orderId = await boughtOrder(fixtures, account, 'IN_PRODUCTION')
  return { orderId, shipmentId: await insertShipment(fixtures.market.db.owner, orderId, 'SHIPPED') }
}

/** An order of the account's organization with a change that one side has proposed. */
export async function proposedChange(fixtures: Fixtures, account: Account, side: 'CONSUMER' | 'MANUFACTURER') {
  const orderId = await boughtOrder(fixtures, account, 'CONFIRMED')
  const changeRequestId = newId('change')
  await fixtures.market.db.owner`
    insert into sourcing.change_requests (id, order_id, side, org_id, decider_org_id, state, due_date, currency, previous,
      reason, created_at)
    select ${changeRequestId}, id, ${side},
      case ${side} when 'CONSUMER' then consumer_org_id else manufacturer_org_id end,
      case ${side} when 'CONSUMER' then manufacturer_org_id else consumer_org_id end,
      'PROPOSED', '2031-06-24', 'EUR', '{"dueDate": "2031-05-29"}', 'Later.', now()
    from sourcing.orders where id = ${orderId}`
  return { orderId, changeRequestId }
}
