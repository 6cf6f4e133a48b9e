import { afterAll, expect, test } from 'bun:test'
import { SERVICES } from '../../../proto/services.ts'
import { BUN, commandFile } from '../../../scripts/toolchain/checkout.ts'
import { run } from '../../../scripts/toolchain/run.ts'
import { asOwner, testDatabase } from '../../testing/database.ts'
import { natsServer } from '../../testing/nats-server.ts'
import { emptyServer } from '../../testing/own-server.ts'
import { connect, type Pool } from '../db/client.ts'
import { requireSchema } from './migrate.ts'

const nats = await natsServer()
await nats.start()
afterAll(() => nats.close())
const [main, own] = [await testDatabase(), await emptyServer()]
await main.owner`drop schema webhooks cascade`
const passwords = Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, name]))

const migrate = async (variables: Record<string, string>) => {
  const env = { PATH: process.env.PATH, DATABASE_URL: asOwner(main.ownerUrl), ...passwords, ...variables }
  const { code, output } = await run([BUN, commandFile('migrate')], { env })
  return [code, output] as const
}
const both = { WEBHOOKS_OWNER_DATABASE_URL: asOwner(own.ownerUrl), NATS_URL: nats.url }

const schemasOf = async ({ owner }: { owner: Pool }) =>
  (
    await owner<{ name: string }[]>`
      select nspname as name from pg_namespace where nspname !~ '^(pg_|information_schema$|public$)' order by 1`
  ).map(({ name }) => name)

async function mayCopy(database: { owner: Pool }): Promise<boolean> {
  const [row] = await database.owner<[{ may: boolean }]>`
    select has_function_privilege('marketplace_webhooks', 'organization.copy_audit_entry(jsonb)', 'execute') as may`
  return row.may
}

test('the migration makes webhooks on one server and not on the other, and repeats', async () => {
  for (const _ of ['first', 'second']) {
    const [code, output] = await migrate(both)
    expect([code, output.split('\n').at(-2)]).toEqual([0, 'The NATS streams are up to date.'])
  }
  expect(await schemasOf(main)).toEqual(['catalog', 'identity', 'organization', 'sourcing'])
  expect(await schemasOf(own)).toEqual(['webhooks'])
  const sql = connect(own.urlOf('webhooks'), { max: 1, applicationName: 'test' })
  await requireSchema(sql, 'webhooks')
  await sql.end({ timeout: 1 })
}, 60_000)

test('the server of webhooks has their role and no other', async () => {
  const roles = await own.owner`select rolname from pg_roles where rolname ~ '^marketplace_' order by 1`
  expect(roles.map(({ rolname }) => rolname)).toEqual(['marketplace_owner', 'marketplace_webhooks'])
})

test('both servers belong to one installation', async () => {
  const [installation] = await main.owner`select id from organization.installation`
  const [role] = await own.owner`
    select shobj_description(oid, 'pg_authid') as comment from pg_roles where rolname = 'marketplace_webhooks'`
  expect(installation?.id).toBe('test')
  expect(role?.comment).toBe('marketplace installation test')
})

test('only webhooks with a server of their own may copy audit entries', async () => {
  expect(await mayCopy(main)).toBe(true)
  expect(await mayCopy(await testDatabase())).toBe(false)
})

test('without NATS the migration is refused with a sentence', async () => {
  const [code, output] = await migrate({ ...both, NATS_URL: '' })
  expect([code, output]).toEqual([
    2,
    expect.stringContaining(
      'WEBHOOKS_OWNER_DATABASE_URL needs NATS_URL, because events run over Postgres only where all services share it.',
    ),
  ])
})

test('one database for all, or both URLs swapped, is refused with a sentence and changes nothing', async () => {
  const [before, [first]] = [await schemasOf(own), await own.owner`select count(*)::integer as n from pg_roles`]
  const same = await migrate({ ...both, WEBHOOKS_OWNER_DATABASE_URL: asOwner(main.ownerUrl) })
  expect(same).toEqual([
    2,
    expect.stringContaining('WEBHOOKS_OWNER_DATABASE_URL leads to the database of the other services.'),
  ])
  const swapped = await migrate({ ...both, DATABASE_URL: both.WEBHOOKS_OWNER_DATABASE_URL })
  expect(swapped).toEqual([2, expect.stringContaining('DATABASE_URL leads to the database of webhooks alone.')])
  expect(await schemasOf(main)).toEqual(['catalog', 'identity', 'organization', 'sourcing'])
  expect(await schemasOf(own)).toEqual(before)
  expect((await own.owner`select count(*)::integer as n from pg_roles`)[0]).toEqual(first as never)
})
