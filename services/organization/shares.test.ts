import { expect, test } from 'bun:test'
import { marketplaceWithWorkers } from '../testing/marketplace.ts'
import { until } from '../testing/until.ts'

const market = await marketplaceWithWorkers([], { DATABASE_POOL_SIZE: '8' })
const reader = await market.organization(['CONSUMER'])
const other = await market.organization(['CONSUMER'])

test.each([
  ['lists of users', 'organization.user_roles', '/v1/users?admin=true'],
  ['lists of people', 'organization.user_roles', '/flows/v1/users'],
  ['filtered audit logs', 'organization.audit_log', '/v1/audit-log?failedOnly=true'],
])('many concurrent %s of one organization leave connections for other organizations', async (_, table, path) => {
  const lists: Promise<{ status: number }>[] = []
  // The service then knows both callers, whose permissions are read from the same tables.
  for (const { administrator } of [reader, other])
    expect((await administrator.client.get('/v1/roles')).status).toBe(200)
  await market.db.owner.begin(async (tx) => {
    // No list ends before this transaction.
    await tx`lock table ${tx(table)} in access exclusive mode`
    for (let n = 0; n < 20; n++) lists.push(reader.administrator.client.get(path))
    await until(
      async () => {
        const [row] = await tx<{ waiting: number }[]>`
          select count(*)::int as waiting from pg_locks where relation = ${table}::regclass and not granted`
        return row?.waiting === 2
      },
      { what: 'a quarter of the connections for lists of one organization' },
    )
    expect((await other.administrator.client.get('/v1/roles')).status).toBe(200)
  })
  for (const { status } of await Promise.all(lists)) expect(status).toBe(200)
})
