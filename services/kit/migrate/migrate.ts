import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { connect, type Pool } from '../db/client.ts'
import { roleOf } from '../db/roles.ts'
import { type Migration, migrationsOf } from './files.ts'

interface MigrateOptions {
  /** URL of the owner, who may create schemas, roles and extensions. */
  url: string
  /** Passwords of the service roles. */
  passwords: Record<ServiceName, string>
  log?: (line: string) => void
  /** Stops before the migration of this name, so that tests can create data of an earlier schema. */
  before?: Partial<Record<ServiceName, string>>
  /** Migrations of a later release, which run last, so that tests can run it beside this one. */
  later?: Partial<Record<ServiceName, readonly Migration[]>>
}

/** The database was migrated by a build with another text of the same migration. */
export class ChangedMigration extends Error {}

/** The database lacks migrations of this build. */
export class OutdatedSchema extends Error {}

/** Key of the advisory lock, an arbitrary constant. */
const MIGRATION_LOCK = 7_204_913

/**
 * A statement that waits for a table blocks every later request for it, so a migration gives up after this time, rolls
 * back and tries again.
 */
const LOCK_TIMEOUT_MS = 1000
const LOCK_TRIES = 60
const LOCK_PAUSE_MS = 1000
/** Postgres: lock_not_available. */
const LOCK_TIMED_OUT = '55P03'

/**
 * Migrates a database to the newest schema: roles, schemas, then each migration that was not applied yet. Concurrent
 * migrators are safe: the second one waits for the first.
 */
export async function migrate({
  url,
  passwords,
  log = () => {},
  before = {},
  later = {},
}: MigrateOptions): Promise<void> {
  const sql = connect(url, { max: 1, applicationName: 'marketplace-migrate' })
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
    await sql`create extension if not exists pg_trgm`
    await sql`create extension if not exists btree_gin`
    for (const service of SERVICES) await ensureRole(sql, service, passwords[service])
    for (const service of SERVICES) await ensureSchema(sql, service)
    for (const service of SERVICES) {
      await migrateSchema(sql, service, { log, before: before[service], later: later[service] ?? [] })
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/**
 * Part searches find few rows by an index. With ten million rows the planner would start parallel workers, which takes a
 * hundred times as long as the search.
 */
const WITHOUT_PARALLEL_WORKERS: ReadonlySet<ServiceName> = new Set(['sourcing'])

/**
 * Settings belong to the role, because poolers reject them at connection start. `force_generic_plan` avoids planning
 * `limit $1 offset $2` on every call. Without `jit = off` Postgres would then compile each query.
 */
async function ensureRole(sql: Pool, service: ServiceName, password: string): Promise<void> {
  const role = roleOf(service)
  const exists = await sql`select 1 from pg_roles where rolname = ${role}`
  const statements = [
    ...(exists.length > 0 ? [] : [`create role ${role} login`]),
    `alter role ${role} with login nosuperuser nocreatedb nocreaterole password ${literal(password)}`,
    `alter role ${role} set search_path = ${service}, public`,
    `alter role ${role} set statement_timeout = '5s'`,
    // Below the time-out of a statement, so that a wait for a lock is told from a slow statement.
    `alter role ${role} set lock_timeout = '4s'`,
    `alter role ${role} set idle_in_transaction_session_timeout = '60s'`,
    `alter role ${role} set plan_cache_mode = 'force_generic_plan'`,
    `alter role ${role} set jit = off`,
    `alter role ${role} set timezone = 'UTC'`,
    ...(WITHOUT_PARALLEL_WORKERS.has(service) ? [`alter role ${role} set max_parallel_workers_per_gather = 0`] : []),
  ]
  for (const statement of statements) await runClusterWide(sql, statement)
}

/** Roles belong to the whole cluster, so migrators of two databases can conflict. The conflict is retried. */
async function runClusterWide(sql: Pool, statement: string, triesLeft = 20): Promise<void> {
  try {
    await sql.unsafe(statement)
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const isConflict = /tuple concurrently updated/.test(message)
    if (/already exists/.test(message)) return
    if (!isConflict || triesLeft === 0) throw error
    await Bun.sleep(25)
    await runClusterWide(sql, statement, triesLeft - 1)
  }
}

async function ensureSchema(sql: Pool, service: ServiceName): Promise<void> {
  await sql`create schema if not exists ${sql(service)}`
  await sql`grant usage on schema ${sql(service)} to ${sql(roleOf(service))}`
  await sql`
    create table if not exists ${sql(service)}.schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz(3) not null default now()
    )`
  await sql`grant select on ${sql(service)}.schema_migrations to ${sql(roleOf(service))}`
}

async function migrateSchema(
  sql: Pool,
  service: ServiceName,
  {
    log,
    before: stopBefore,
    later,
  }: { log: (line: string) => void; before: string | undefined; later: readonly Migration[] },
): Promise<void> {
  const rows = await sql<{ name: string; checksum: string }[]>`
    select name, checksum from ${sql(service)}.schema_migrations`
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  for (const migration of [...(await migrationsOf(service)), ...later]) {
    if (migration.name === stopBefore) return
    const text = await Bun.file(migration.path).text()
    const checksum = new Bun.CryptoHasher('sha256').update(text).digest('hex')
    const appliedChecksum = applied.get(migration.name)
    if (appliedChecksum === checksum) continue
    if (appliedChecksum !== undefined) {
      throw new ChangedMigration(`The migration ${service}/${migration.name} was changed after it was applied.`)
    }
    await apply(sql, service, migration, text, checksum)
    log(`${service} ${migration.name}`)
  }
}

/** Applies a migration and records it in one transaction, unless the file asks for none (a concurrent index). */
async function apply(
  sql: Pool,
  service: ServiceName,
  { name }: Migration,
  text: string,
  checksum: string,
): Promise<void> {
  const path = `set search_path = ${service}, public;`
  const record = `insert into ${service}.schema_migrations (name, checksum) values (${literal(name)}, ${literal(checksum)});`
  try {
    if (text.startsWith('-- no transaction')) {
      await dropInvalidIndexes(sql, service)
      await sql.unsafe(path)
      for (const statement of text.split(/;\s*\n/).filter((part) => part.trim() !== '')) await sql.unsafe(statement)
      await sql.unsafe(record)
    } else {
      await inTransaction(sql, `${path}\n${text}\n; ${record}`)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Migration ${service}/${name} failed: ${reason}`, { cause: error })
  }
  await sql.unsafe('reset search_path')
}

async function inTransaction(sql: Pool, statements: string, triesLeft = LOCK_TRIES): Promise<void> {
  try {
    await sql.unsafe(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}; ${statements} commit;`)
  } catch (error) {
    await sql.unsafe('rollback')
    const isLocked = error instanceof Error && 'code' in error && error.code === LOCK_TIMED_OUT
    if (!isLocked || triesLeft === 0) throw error
    await Bun.sleep(LOCK_PAUSE_MS)
    await inTransaction(sql, statements, triesLeft - 1)
  }
}

/** An interrupted `create index concurrently` leaves an invalid index, whose name the next attempt needs. */
async function dropInvalidIndexes(sql: Pool, service: ServiceName): Promise<void> {
  const found = await sql<{ name: string }[]>`
    select c.relname as name
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relkind = 'i' and c.relnamespace = ${service}::regnamespace`
  for (const { name } of found) await sql`drop index concurrently if exists ${sql(service)}.${sql(name)}`
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Throws if the schema lacks a migration of the service. A service never migrates its own schema. */
export async function requireSchema(sql: Pool, service: ServiceName): Promise<void> {
  const wanted = (await migrationsOf(service)).map(({ name }) => name)
  const rows = await sql<{ name: string }[]>`select name from ${sql(service)}.schema_migrations`
  const present = new Set(rows.map(({ name }) => name))
  const missing = wanted.filter((name) => !present.has(name))
  if (missing.length > 0) {
    throw new OutdatedSchema(
      `The database lacks migrations of ${service}: ${missing.join(', ')}. Run scripts/migrate first.`,
    )
  }
}
