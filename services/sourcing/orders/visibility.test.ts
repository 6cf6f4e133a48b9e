import { expect, test } from 'bun:test'
import { ORDER_STATES, type OrderState } from '../../../proto/http/sourcing/orders.ts'
import { testDatabase } from '../../testing/database.ts'
import { insertAssignedOrder } from '../../testing/orders.ts'
import { listOrders } from './list-queries.ts'
import { findOrder } from './queries.ts'
import { isLive, isParty, isUnfinished, mayUse, type OrderParties } from './rules.ts'
import { ORDER_TRANSITIONS, type OrderVerb } from './states.ts'
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
  })
}

interface Row extends OrderParties {
  id: string
  state: OrderState
  live: boolean
  unfinished: boolean
}

const rows = await db.owner<Row[]>`
  select id, state, consumer_org_id as "consumerOrgId", ip_owner_org_id as "ipOwnerOrgId",
    manufacturer_org_id as "manufacturerOrgId", seller_org_id as "sellerOrgId",
    distributor_org_id as "distributorOrgId", ${conditions.isLive(db.owner)} as live,
    ${conditions.isUnfinished(db.owner)} as unfinished
  from sourcing.orders order by id desc`

test.each(ORGANIZATIONS)(
  'the rule and the SQL conditions of the record and of the list agree on every order for %s',
  async (orgId) => {
    const readable = rows.filter((row) => isParty(row, orgId)).map(({ id }) => id)
    const listed = await listOrders(db.owner, orgId, { after: undefined, limit: 1000, offset: 0 })
    expect(listed.map(({ position }) => position)).toEqual(readable)
    for (const { id } of rows) expect(await findOrder(db.owner, orgId, id)).toHaveLength(readable.includes(id) ? 1 : 0)
    expect(readable.length > 0).toBe(orgId !== 'org_c')
    expect(readable.length).toBeLessThan(rows.length)
  },
)

test.each(Object.keys(ORDER_TRANSITIONS) as OrderVerb[])(
  'the rule and the SQL condition agree on who may %s',
  async (verb) => {
    const { by } = ORDER_TRANSITIONS[verb]
    for (const orgId of ORGANIZATIONS) {
      const usable = await db.owner<{ id: string }[]>`
      select id from sourcing.orders where ${conditions.isActor(db.owner, orgId, by)} order by id desc`
      expect(usable.map(({ id }) => id)).toEqual(rows.filter((row) => mayUse(verb, row, orgId)).map(({ id }) => id))
    }
  },
)

test('the rules and the SQL conditions of live and unfinished orders agree on every state', () => {
  for (const { state, live, unfinished } of rows) {
    expect([state, live, unfinished]).toEqual([state, isLive(state), isUnfinished(state)])
  }
  expect(new Set(rows.map(({ state }) => state)).size).toBe(ORDER_STATES.length)
})
