import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type { ServiceName } from '../../../proto/services.ts'
import type { Pool } from '../db/client.ts'
import { roleOf } from '../db/roles.ts'
import { MigrationRefused } from './refusal.ts'

interface RoleOptions {
  services: readonly ServiceName[]
  /** Prefix of the names of the service roles, which belong to the whole server. */
  prefix: string
  /** Passwords of the service roles. Undefined: an administrator makes the roles, and the migrator only checks them. */
  passwords: Record<ServiceName, string> | undefined
  /** The installation whose database this is. */
  installation: string
}

/**
 * The settings of a service role. They belong to the role, because poolers reject them at connection start.
 * `force_generic_plan` avoids planning `limit $1 offset $2` on every call; without `jit = off` Postgres would then
 * compile each query. Requests find few rows by an index: with ten million rows the planner would start parallel
 * workers, which takes a hundred times as long as the search.
 */
const settingsOf = (service: ServiceName): Record<string, string> => ({
  search_path: `${service}, public`,
  statement_timeout: '5s',
  // Below the statement timeout, so that a lock wait can be told from a slow statement.
  lock_timeout: '4s',
  idle_in_transaction_session_timeout: '60s',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  TimeZone: 'UTC',
  max_parallel_workers_per_gather: '0',
})

interface RoleRow {
  name: string
  login: boolean
  /** Attributes that a service role must not have. */
  excess: string[]
  /** `name=value` of its settings. */
  settings: string[]
  comment: string | null
}

const listRoles = (sql: Pool, names: readonly string[]) => sql<RoleRow[]>`
  select rolname as name, rolcanlogin as login, coalesce(rolconfig, '{}') as settings,
    shobj_description(oid, 'pg_authid') as comment,
    array_remove(array[
      case when rolsuper then 'superuser' end, case when rolcreatedb then 'createdb' end,
      case when rolcreaterole then 'createrole' end, case when rolreplication then 'replication' end,
      case when rolbypassrls then 'bypassrls' end
    ], null) as excess
  from pg_roles where rolname = any(${names as string[]})`

/** The comment of a role, with the id of its installation. */
export const OF_INSTALLATION = /^marketplace installation (\S+)$/

/**
 * Makes the service roles, or checks those of an administrator. The owner of the database needs `createrole` to make
 * them, and no more: attributes are given in `create role`, because only a superuser may take them away.
 */
export async function ensureRoles(sql: Pool, options: RoleOptions): Promise<void> {
  const names = options.services.map((service) => roleOf(service, options.prefix))
  const present = new Map((await listRoles(sql, names)).map((row) => [row.name, row]))
  for (const row of present.values()) requireOwnRole(row, options)
  const missing = options.services.flatMap((service) => missingStatements(service, present, options))
  if (options.passwords === undefined) return requireNone(missing)
  for (const statement of missing) await runClusterWide(sql, statement)
  const [{ iterations }] = await sql<[{ iterations: number }]>`
    select current_setting('scram_iterations')::integer as iterations`
  for (const service of options.services) {
    const verifier = scramVerifier(options.passwords[service], iterations)
    await runClusterWide(sql, `alter role ${roleOf(service, options.prefix)} with password ${literal(verifier)}`)
  }
}

function requireOwnRole({ name, login, excess, comment }: RoleRow, { installation }: RoleOptions): void {
  const [, other] = OF_INSTALLATION.exec(comment ?? '') ?? []
  if (other !== undefined && other !== installation) {
    throw new MigrationRefused(
      `The role ${name} belongs to another installation on this server (${other}). Choose another DATABASE_ROLE_PREFIX.`,
    )
  }
  if (excess.length > 0)
    throw new MigrationRefused(`The role ${name} must not have the attributes ${excess.join(', ')}.`)
  if (!login) throw new MigrationRefused(`The role ${name} must have the attribute login.`)
}

/** The statements that a role lacks. */
function missingStatements(
  service: ServiceName,
  present: ReadonlyMap<string, RoleRow>,
  { prefix, installation }: RoleOptions,
): string[] {
  const name = roleOf(service, prefix)
  const role = present.get(name)
  const set = new Set(role?.settings)
  const settings = Object.entries(settingsOf(service)).filter(([key, value]) => !set.has(`${key}=${value}`))
  return [
    ...(role ? [] : [`create role ${name} login`]),
    ...(role?.comment ? [] : [`comment on role ${name} is ${literal(`marketplace installation ${installation}`)}`]),
    ...settings.map(
      ([key, value]) => `alter role ${name} set ${key} = ${key === 'search_path' ? value : literal(value)}`,
    ),
  ]
}

function requireNone(missing: readonly string[]): void {
  const needed = missing.filter((statement) => !statement.startsWith('comment '))
  if (needed.length === 0) return
  throw new MigrationRefused(
    `The roles of the services are incomplete. An administrator runs:\n${needed.map((statement) => `${statement};`).join('\n')}`,
  )
}

const CONFLICT_TRIES = 20
const CONFLICT_PAUSE_MS = 25

/** Roles belong to the whole server, so migrators of two databases can conflict. The conflict is retried. */
async function runClusterWide(sql: Pool, statement: string, triesLeft = CONFLICT_TRIES): Promise<void> {
  try {
    await sql.unsafe(statement)
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    if (code === DUPLICATE_OBJECT) return
    if (code === INSUFFICIENT_PRIVILEGE) {
      const what = statement.split(/ (set|is|with) /)[0]
      throw new MigrationRefused(
        `The owner of the database may not run \`${what}\` (${message}). ` +
          'Give it createrole, or create the roles yourself and set DATABASE_MANAGE_ROLES=false.',
      )
    }
    if (!/tuple concurrently updated/.test(message) || triesLeft === 0) throw error
    await Bun.sleep(CONFLICT_PAUSE_MS)
    await runClusterWide(sql, statement, triesLeft - 1)
  }
}

const DUPLICATE_OBJECT = '42710'
const INSUFFICIENT_PRIVILEGE = '42501'

/** A text as an SQL literal, for statements that take no parameters. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * The SCRAM-SHA-256 verifier of a password (RFC 5802), as Postgres stores it. The server receives no password, so none
 * reaches its log when a statement fails.
 */
function scramVerifier(password: string, iterations: number): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${keyOf('Server Key').toString('base64')}`
}
