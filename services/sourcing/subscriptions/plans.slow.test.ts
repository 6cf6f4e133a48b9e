import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { expireDue, listSubscriptions } from './queries.ts'

setDefaultTimeout(120_000)
const ROWS = 8_000
const db = await testDatabase()
await db.owner`
  insert into sourcing.subscriptions (
    id, ip_owner_org_id, consumer_org_id, part_id, state, created_by_org_id, expires_at, created_at, updated_at)
  select 'subscription_' || lpad(n::text, 26, '0'), 'org_owner_' || n % 100, 'org_consumer_' || n % 300, 'part_' || n,
    (array['REQUESTED', 'ACTIVE', 'DECLINED', 'ENDED'])[1 + n % 4], 'org_owner_' || n % 100,
    case when n % 2 = 0 then now() + interval '1 day' end, now(), now()
  from generate_series(1, ${ROWS}) n`
await db.owner`analyze sourcing.subscriptions`
const url = db.urlOf('sourcing')
const page = { after: undefined, limit: 11, offset: 0 }

const FILTERS = [
  ['no filter', {}],
  ['state', { state: 'ACTIVE' }],
  ['partId', { partId: 'part_7' }],
  ['partnerOrgId', { partnerOrgId: 'org_owner_7' }],
] as const

describe(`over ${ROWS} subscriptions`, () => {
  test.each(FILTERS)('a list with %s reads an index of its view', async (_, filters) => {
    for (const [view, name] of [
      ['CONSUMER', 'subscriptions_consumed'],
      ['IP_OWNER', 'subscriptions_owned'],
    ] as const) {
      const plan = await planOf(url, (sql) => listSubscriptions(sql, 'org_consumer_7', { view, ...filters, ...page }))
      const [index = ''] = plan.indexes
      expect([plan.scannedWhole, plan.indexes.length]).toEqual([[], 1])
      expect(index.startsWith(name) || ('partnerOrgId' in filters && index === 'subscriptions_partners')).toBe(true)
    }
  })

  test('the worker of expiries reads its index', async () => {
    const work = await workOf(url, (sql) => expireDue(sql, { now: new Date().toISOString(), limit: 100, except: [] }))
    expect([work.scannedWhole, work.blocks < 20]).toEqual([[], true])
  })
})
