import type { OrderState } from '../../../proto/states/orders.ts'

import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { insertAssignedOrder } from '../orders.ts'

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
