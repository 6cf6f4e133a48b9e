import { describe, expect, test } from 'bun:test'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { recordRefusal, recordSuccess } from '../../kit/audit/record.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import { connect } from '../../kit/db/client.ts'
import { roleOf } from '../../kit/db/roles.ts'
import { testDatabase } from '../../testing/database.ts'
import { dropPartitions, ensurePartitions, setRetention } from './queries.ts'

const db = await testDatabase()
const pools = Object.fromEntries(
  SERVICES.map((service) => [service, connect(db.urlOf(service), { max: 1, applicationName: 'test' })]),
) as Record<ServiceName, ReturnType<typeof connect>>

const auditContext = {
  procedure: 'part.create',
  orgId: 'org_1',
  actorId: 'user_1',
  ipAddress: '192.0.2.1',
  userAgent: 'agent\u0000 \ud800',
  request: { title: 'x' },
} as const

const entries = () => db.owner<{ success: boolean; error: string | null; user_agent: string; request: unknown }[]>`
  select success, error, user_agent, request from organization.audit_log order by id`

describe('writing', () => {
  test.each(SERVICES)('%s may insert entries, and only organization may select them', async (service) => {
    await runWithoutCaller(pools[service], auditContext, async () => undefined)
    const read = pools[service]`select id from organization.audit_log limit 1`
    if (service === 'organization') expect(await read).toHaveLength(1)
    else await expect(read.execute()).rejects.toThrow('permission denied')
  })

  test('a success is rolled back with its transaction, a refusal is not', async () => {
    const before = (await entries()).length
    await pools.sourcing
      .begin(async (tx) => {
        await recordSuccess(tx, auditContext)
        await recordRefusal(pools.identity, auditContext, 'forbidden')
        throw new Error('rolled back')
      })
      .catch(() => {})
    const added = (await entries()).slice(before)
    expect(added.map(({ success, error }) => [success, error])).toEqual([[false, 'forbidden']])
  })

  test('refusals that do not depend on the permissions of the caller leave no entry', async () => {
    const before = (await entries()).length
    for (const code of ['not_found', 'validation_error', 'rate_limited', 'unauthorized', 'unavailable'] as const) {
      await recordRefusal(pools.sourcing, auditContext, code)
    }
    expect(await entries()).toHaveLength(before)
  })

  test('NUL and lone surrogates in the user agent are replaced', async () => {
    const [entry] = await entries()
    expect(entry?.user_agent).toBe('agent \ufffd')
  })

  test('entries of this month and the next three go into the partition of their month', async () => {
    const now = new Date()
    for (const months of [0, 1, 2, 3]) {
      const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString()
      const [row] = await db.owner<[{ partition: string }]>`
        insert into organization.audit_log (id, org_id, timestamp, procedure, success, actor_id)
        values (${crypto.randomUUID()}, 'org_1', ${first}, 'part.create', true, 'user_1')
        returning tableoid::regclass::text as partition`
      expect(row.partition).toBe(`organization.audit_log_${first.slice(0, 7).replace('-', '_')}`)
    }
  })

  test('an entry without a partition is stored, and moves into the partition of its month when that is created', async () => {
    const far = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 4, 15)).toISOString()
    await db.owner`insert into organization.audit_log (id, org_id, timestamp, procedure, success, actor_id)
      values ('far', 'org_1', ${far}, 'part.create', true, 'user_1')`
    await pools.organization`select ensure_month_partitions('audit_log', 4)`
    const [row] = await db.owner<[{ partition: string }]>`
      select tableoid::regclass::text as partition from organization.audit_log where id = 'far'`
    expect(row.partition).toBe(`organization.audit_log_${far.slice(0, 7).replace('-', '_')}`)
    await ensurePartitions(pools.organization)
  })
})

describe('the log is append-only for every service', async () => {
  const [month] = await db.owner<[{ name: string }]>`
    select min(child.relname) as name from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = 'organization.audit_log'::regclass and child.relname <> 'audit_log_default'`
  const tables = ['organization.audit_log', `organization.${month.name}`, 'organization.audit_log_default']

  test.each(
    SERVICES.flatMap((service) =>
      tables.flatMap((table) => [
        [service, `update ${table} set success = true`],
        [service, `delete from ${table}`],
        [service, `truncate ${table}`],
        [service, `alter table ${table} disable trigger all`],
        [service, `drop table ${table}`],
        [service, `alter table organization.audit_log detach partition organization.${month.name}`],
        [service, `merge into ${table} a using (select 1) x on true when matched then delete`],
        [service, `alter table ${table} owner to current_user`],
        [
          service,
          `create trigger hole before insert on ${table} for each row execute function suppress_redundant_updates_trigger()`,
        ],
        [service, `create rule hole as on insert to ${table} do instead nothing`],
        [service, 'set session_replication_role = replica'],
        [service, "insert into organization.audit_log_kinds values ('org_1', now(), '', 'part.create', true, false)"],
        [service, 'delete from organization.audit_log_kinds'],
        [service, 'update organization.audit_log_kinds set success = true'],
        [service, 'truncate organization.audit_log_kinds'],
        [service, 'update organization.audit_retention set keep_months = 1'],
        [service, 'insert into organization.audit_retention values (true, 1)'],
        [service, 'delete from organization.audit_retention'],
        [service, 'create table organization.mine (x int)'],
        [service, 'select organization.add_audit_kinds()'],
      ]),
    ) as [ServiceName, string][],
  )('%s: %s is refused', async (service, statement) => {
    await expect(pools[service].unsafe(statement).execute()).rejects.toThrow(
      /permission denied|must be owner|can only be called as triggers/,
    )
  })

  test.each(SERVICES)('%s cannot choose the time of an entry', async (service) => {
    const backdated = `insert into organization.audit_log (id, org_id, timestamp, procedure, success, actor_id)
      values ('x', 'org_1', now() - interval '1 year', 'part.create', true, 'user_1')`
    await expect(pools[service].unsafe(backdated).execute()).rejects.toThrow('permission denied')
  })

  test('a service cannot insert into a partition directly', async () => {
    const direct = `insert into organization.${month.name} (id, org_id, timestamp, procedure, success, actor_id)
      values ('x', 'org_1', now(), 'part.create', true, 'user_1')`
    await expect(pools.organization.unsafe(direct).execute()).rejects.toThrow('permission denied')
  })
})

test('without a retention nothing is dropped; with one the partitions of expired months and no later ones', async () => {
  await db.owner.unsafe(`create table organization.audit_log_2020_01 partition of organization.audit_log
    for values from ('2020-01-01 00:00:00+00') to ('2020-02-01 00:00:00+00')`)
  const before = (await entries()).length
  const drop = async () => (await dropPartitions(pools.organization))[0]
  expect(await drop()).toEqual({ drop_audit_partitions: 0 })
  await setRetention(db.owner, 12)
  expect(await drop()).toEqual({ drop_audit_partitions: 1 })
  expect(await entries()).toHaveLength(before)
})

describe('the functions that create and drop partitions', () => {
  const calls = ["organization.ensure_month_partitions('audit_log', 3)", 'organization.drop_audit_partitions()']

  test.each(SERVICES.filter((service) => service !== 'organization'))('refuse %s', async (service) => {
    for (const call of calls) {
      await expect(pools[service].unsafe(`select ${call}`).execute()).rejects.toThrow('permission denied')
    }
  })

  test('ignore temporary tables and functions of the caller', async () => {
    const before = (await entries()).length
    const sql = connect(db.urlOf('organization'), { max: 1, applicationName: 'test' })
    // Postgres searches the temporary schema first unless the search path names it, and every role may create objects
    // there.
    await sql.unsafe(`
      create temporary table pg_class (oid oid, relname text);
      create temporary table pg_inherits (inhrelid oid, inhparent oid);
      insert into pg_class select c.oid, 'audit_log_2001_01' from pg_catalog.pg_class c where c.relname = 'audit_log_${thisMonth()}';
      insert into pg_inherits
        select c.oid, 'organization.audit_log'::regclass from pg_catalog.pg_class c where c.relname = 'audit_log_${thisMonth()}';
      create temporary table audit_log (like organization.audit_log);
      create temporary table audit_log_default (like organization.audit_log);
      create function pg_temp.hashtext(text) returns integer language plpgsql as $$ begin raise exception 'reached'; end $$;
      create function pg_temp.to_char(date, text) returns text language plpgsql as $$ begin raise exception 'reached'; end $$;
      set search_path = pg_temp, pg_catalog, organization`)
    expect([...(await sql`select organization.drop_audit_partitions()`)]).toEqual([{ drop_audit_partitions: 0 }])
    expect([...(await sql`select organization.ensure_month_partitions('audit_log', 3)`)]).toEqual([
      { ensure_month_partitions: 0 },
    ])
    await sql.end({ timeout: 1 })
    expect(await entries()).toHaveLength(before)
  })

  test('and all functions with the rights of the owner have their own search path and are not executable by public', async () => {
    const functions = await db.owner<{ name: string; path: string; public: boolean }[]>`
      select p.proname as name, array_to_string(p.proconfig, ',') as path,
        has_function_privilege('public', p.oid, 'execute') as public
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prosecdef and n.nspname = any(${[...SERVICES]})`
    expect(functions.map(({ name }) => name)).toContain('drop_audit_partitions')
    for (const { name, path, public: isPublic } of functions) {
      expect([name, path, isPublic]).toEqual([name, expect.stringMatching(/search_path=.*pg_temp$/), false])
    }
  })

  test('run no code of the caller, not even a cast of a column type', async () => {
    const sql = connect(db.urlOf('organization'), { max: 1, applicationName: 'test' })
    await sql.unsafe(`
      create type pg_temp.bait as (name text);
      create function pg_temp.take(pg_temp.bait) returns text language plpgsql as
        $$ begin raise exception 'ran as %', current_user; end $$;
      create cast (pg_temp.bait as text) with function pg_temp.take(pg_temp.bait) as implicit;
      create temporary table pg_class (oid oid, relname pg_temp.bait, relnamespace oid, relkind "char");
      create temporary table pg_inherits (inhrelid oid, inhparent oid);
      insert into pg_class values (1, row('x')::pg_temp.bait, 'organization'::regnamespace, 'p');
      insert into pg_inherits values (1, 'organization.audit_log'::regclass)`)
    await sql`select organization.drop_audit_partitions()`
    await expect(sql`select organization.ensure_month_partitions('x', 1)`.execute()).rejects.toThrow(
      'is not a partitioned table',
    )
    await sql.end({ timeout: 1 })
  })

  test.each([0, -1])('refuse to keep %p months', async (months) => {
    await expect(setRetention(db.owner, months).execute()).rejects.toThrow('audit_retention_keep_months_check')
  })

  test('take no retention from the service', async () => {
    const call = pools.organization`select organization.drop_audit_partitions(1)`
    await expect(call.execute()).rejects.toThrow('does not exist')
  })
})

const thisMonth = () => new Date().toISOString().slice(0, 7).replace('-', '_')

test('no service role has attributes of an administrator, or rights on private tables of another service', async () => {
  const roles = await db.owner<{ rolname: string }[]>`
    select rolname from pg_roles
    where rolname = any(${SERVICES.map((service) => roleOf(service))}) and (rolsuper or rolcreatedb or rolcreaterole or rolbypassrls)`
  expect([...roles]).toEqual([])
  for (const service of SERVICES) {
    await expect(pools[service].unsafe(`create table ${service}.mine (x int)`).execute()).rejects.toThrow(
      'permission denied',
    )
    const other = service === 'identity' ? 'sourcing.parts' : 'identity.credentials'
    await expect(pools[service].unsafe(`select 1 from ${other}`).execute()).rejects.toThrow('permission denied')
  }
})
