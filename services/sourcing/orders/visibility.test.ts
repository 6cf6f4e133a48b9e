import { expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/states/orders.ts'

import { FINAL_ORDER_STATES, LIVE_ORDER_STATES } from '../../testing/contract-states.ts'
import { testDatabase } from '../../testing/database.ts'
import { insertAssignedOrder } from '../../testing/orders.ts'
import { listOrders } from './list-queries.ts'
import { findOrder } from './queries.ts'
import * as conditions from './visibility.ts'

const db = await testDatabase()
const ORGANIZATIONS = ['org_a', 'org_b', 'org_c']

// Every combination of two organizations, and a distributor or none.
for (let n = 0; n < 64; n++) {
  const org = (bit: number) => ((n >> bit) & 1 ? 'org_a' : 'org_b')
  const state = ORDER_STATES[n % ORDER_STATES.length] as OrderState
  await insertAssignedOrder(db.owner, {
    consumerOrgId: org(0),
    ipOwnerOrgId: org(1),
    manufacturerOrgId: org(2),
    sellerOrgId: org(3),
    distributorOrgId: org(4) === 'org_a' ? org(5) : null,
    partId: 'part_1',
    factoryId: 'factory_1',
    state,
    heldState: state === 'ON_HOLD' ? 'CONFIRMED' : null,
    filesReleased: n % 3 === 0,
  })
}

interface Row {
  id: string
  parties: string[]
  state: OrderState
  released: boolean
  shown: boolean
  unfinished: boolean
}

const rows = await db.owner<Row[]>`
  select id, state, files_released_at is not null as released,
    array[consumer_org_id, ip_owner_org_id, manufacturer_org_id, seller_org_id, distributor_org_id] as parties,
    ${conditions.showsIpFiles(db.owner)} as shown, ${conditions.isUnfinished(db.owner)} as unfinished
  from sourcing.orders order by id desc`

test.each(ORGANIZATIONS)('%s reads, and lists, the orders that name it', async (orgId) => {
  const readable = rows.filter(({ parties }) => parties.includes(orgId)).map(({ id }) => id)
  const listed = await listOrders(db.owner, orgId, {
    after: undefined,
    limit: 1000,
    offset: 0,
  })
  expect(listed.map(({ position }) => position)).toEqual(readable)
  // Pages of all roles together skip and repeat nothing, by their positions and by their offsets.
  const paged: string[] = []
  for (let after: string | undefined; ; after = paged.at(-1)) {
    const page = await listOrders(db.owner, orgId, {
      after,
      limit: 7,
      offset: 0,
    })
    const skipped = await listOrders(db.owner, orgId, {
      after: undefined,
      limit: 7,
      offset: paged.length,
    })
    expect(skipped).toEqual(page)
    paged.push(...page.map(({ position }) => position))
    if (page.length < 7) break
  }
  expect(paged).toEqual(readable)
  for (const { id } of rows) expect(await findOrder(db.owner, orgId, id)).toHaveLength(readable.includes(id) ? 1 : 0)
  expect(readable.length > 0).toBe(orgId !== 'org_c')
  expect(readable.length).toBeLessThan(rows.length)
})

test.each([
  ['consumer', 0],
  ['ipOwner', 1],
  ['manufacturer', 2],
  ['seller', 3],
] as const)('only the %s of an order has its verbs', async (role, place) => {
  for (const orgId of ORGANIZATIONS) {
    const usable = await db.owner<{ id: string }[]>`
      select id from sourcing.orders where ${conditions.isActor(db.owner, orgId, [role])} order by id desc`
    expect(usable.map(({ id }) => id)).toEqual(
      rows.filter(({ parties }) => parties[place] === orgId).map(({ id }) => id),
    )
  }
})

test('files of the group ip need a release and a live order, and an order keeps its part until it has ended', () => {
  for (const { state, released, shown, unfinished } of rows) {
    expect([state, released, shown]).toEqual([state, released, released && LIVE_ORDER_STATES.includes(state)])
    expect([state, unfinished]).toEqual([state, !FINAL_ORDER_STATES.includes(state)])
  }
  expect(new Set(rows.map(({ state, released }) => `${state} ${released}`)).size).toBe(2 * ORDER_STATES.length)
})
