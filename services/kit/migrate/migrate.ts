import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { connect, type Pool, type Sql } from '../db/client.ts'
import { newId } from '../db/ids.ts'
import { ROLE_PREFIX, roleOf } from '../db/roles.ts'
import { type Migration, migrationsOf } from './files.ts'
import { MigrationRefused } from './refusal.ts'
import { ensureRoles, literal } from './roles.ts'
import { ensureExtensions, requireServer } from './server.ts'

interface MigrateOptions {
  /** URL of the owner of the database, who needs `login createrole` and no more. */
  url: string
  /** Passwords of the service roles. Undefined: an administrator makes the roles, and the migrator only checks them. */
  passwords: Record<ServiceName, string> | undefined
  /** Prefix of the names of the service roles, for several installations on one server. */
  rolePrefix?: string
  /** The part of the schemas that the server has. Default: all. */
  part?: Part
  log?: (line: string) => void
  /** The id of a new installation. Default: a random one. */
  installation?: string
  /** Stops before the migration of this name, so that tests can create data of an earlier schema. */
  before?: Partial<Record<ServiceName, string>>
  /** Migrations of a later release, which run last, so that tests can run it beside this one. */
  later?: Partial<Record<ServiceName, readonly Migration[]>>
}

/** `webhooks`: a Postgres only for webhooks. `others`: that of the other services, where webhooks read some views. */
type Part = 'all' | 'others' | 'webhooks'

const SCHEMAS: Record<Part, readonly ServiceName[]> = {
  all: SERVICES,
  others: SERVICES.filter((service) => service !== 'webhooks'),
  webhooks: ['webhooks'],
}

/** The database was migrated by a build with another text of the same migration. */
export class ChangedMigration extends Error {}

/** The database lacks migrations of this build, or is the wrong one. */
export class OutdatedSchema extends Error {}

/** A statement of a migration failed; nothing of the migration is left. */
export class FailedMigration extends Error {}

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
  rolePrefix = ROLE_PREFIX,
  part = 'all',
  log = () => {},
  installation: newInstallation = newId('installation'),
  before = {},
  later = {},
}: MigrateOptions): Promise<void> {
  const sql = connect(url, { max: 1, applicationName: 'marketplace-migrate' })
  try {
    await requireServer(sql)
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
    await requirePart(sql, part)
    await ensureExtensions(sql)
    const schemas = SCHEMAS[part]
    for (const service of schemas) await sql`create schema if not exists ${sql(service)}`
    const isAlone = part === 'webhooks'
    const installation = isAlone ? newInstallation : await ensureInstallation(sql, newInstallation)
    await ensureRoles(sql, { services: isAlone ? schemas : SERVICES, prefix: rolePrefix, passwords, installation })
    for (const service of schemas) await ensureSchema(sql, service, rolePrefix)
    if (!isAlone) for (const service of schemas) await grantInstallation(sql, service, rolePrefix)
    for (const service of schemas) {
      const textOf = (text: string) => (isAlone ? text.replaceAll(ALL_ROLES, roleOf('webhooks')) : text)
      const more = { before: before[service], later: later[service] ?? [] }
      await migrateSchema(sql, service, { rolePrefix, log, textOf, ...more })
    }
    if (!isAlone) await grantCopies(sql, roleOf('webhooks', rolePrefix), part)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Refuses the database of another part, before anything is changed in it. */
async function requirePart(sql: Pool, part: Part): Promise<void> {
  const [has] = await sql<[{ others: boolean; webhooks: boolean }]>`
    select to_regclass('organization.schema_migrations') is not null as others,
      to_regclass('webhooks.schema_migrations') is not null as webhooks`
  if (part === 'webhooks' && has.others) {
    throw new MigrationRefused(
      'WEBHOOKS_OWNER_DATABASE_URL leads to the database of the other services. Webhooks need another one, or no such variable.',
    )
  }
  if (part !== 'webhooks' && has.webhooks && !has.others) {
    throw new MigrationRefused('DATABASE_URL leads to the database of webhooks alone.')
  }
}

/** The grantees of what a schema publishes, as the migrations list them. A Postgres of webhooks has one of them. */
const ALL_ROLES = ['identity', 'catalog', 'sourcing', 'organization', 'webhooks']
  .map((service) => `${ROLE_PREFIX}${service}`)
  .join(', ')

/** Lets webhooks copy audit entries from a Postgres of their own, and only from there. */
async function grantCopies(sql: Pool, webhooks: string, part: Part): Promise<void> {
  const [copies] = await sql`select to_regprocedure('organization.copy_audit_entry(jsonb)') is not null as exist`
  if (!copies?.exist) return
  if (part === 'others') await sql`grant execute on function organization.copy_audit_entry(jsonb) to ${sql(webhooks)}`
  else await sql`revoke execute on function organization.copy_audit_entry(jsonb) from ${sql(webhooks)}`
}

/** The id of the installation, which distinguishes its roles and streams from others on the same servers. */
async function ensureInstallation(sql: Pool, newInstallation: string): Promise<string> {
  await sql`create table if not exists organization.installation (id text not null, only_row boolean primary key check (only_row))`
  await sql`insert into organization.installation (id, only_row) values (${newInstallation}, true) on conflict do nothing`
  return (await findInstallation(sql))?.id as string
}

/** The id of the installation of a database. */
export async function findInstallation(sql: Sql): Promise<{ id: string } | undefined> {
  const [row] = await sql<{ id: string }[]>`select id from organization.installation`
  return row
}

async function ensureSchema(sql: Pool, service: ServiceName, rolePrefix: string): Promise<void> {
  const role = sql(roleOf(service, rolePrefix))
  await sql`grant usage on schema ${sql(service)} to ${role}`
  await sql`
    create table if not exists ${sql(service)}.schema_migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz(3) not null default now()
    )`
  await sql`grant select on ${sql(service)}.schema_migrations to ${role}`
}

async function grantInstallation(sql: Pool, service: ServiceName, rolePrefix: string): Promise<void> {
  const role = sql(roleOf(service, rolePrefix))
  await sql`grant usage on schema organization to ${role}`
  await sql`grant select on organization.installation to ${role}`
}

interface SchemaOptions {
  rolePrefix: string
  log: (line: string) => void
  /** The text of a migration for this server. */
  textOf: (text: string) => string
  before: string | undefined
  later: readonly Migration[]
}

async function migrateSchema(
  sql: Pool,
  service: ServiceName,
  { rolePrefix, log, textOf, before: stopBefore, later }: SchemaOptions,
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
    await apply(sql, service, migration, { text: textOf(text).replaceAll(ROLE_PREFIX, rolePrefix), checksum })
    log(`${service} ${migration.name}`)
  }
}

/** Applies a migration and records it in one transaction, unless the file asks for none (a concurrent index). */
async function apply(
  sql: Pool,
  service: ServiceName,
  { name }: Migration,
  { text, checksum }: { text: string; checksum: string },
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
    throw new FailedMigration(`The migration ${service}/${name} failed: ${reason}.`, { cause: error })
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

/** Throws if the schema lacks a migration of the service. A service never migrates its own schema. */
export async function requireSchema(sql: Pool, service: ServiceName): Promise<void> {
  const wanted = (await migrationsOf(service)).map(({ name }) => name)
  const rows = await sql<{ name: string }[]>`select name from ${sql(service)}.schema_migrations`
  const present = new Set(rows.map(({ name }) => name))
  const missing = wanted.filter((name) => !present.has(name))
  if (missing.length > 0) {
    throw new OutdatedSchema(
      `The database lacks these migrations of ${service}: ${missing.join(', ')}. Run scripts/migrate first.`,
    )
  }
}
