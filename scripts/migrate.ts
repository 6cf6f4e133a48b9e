import { ensureStreams } from '../services/kit/bus/nats/streams.ts'
import { BadConfiguration, readConfig } from '../services/kit/config/read.ts'
import { connect } from '../services/kit/db/client.ts'
import { ChangedMigration, migrate } from '../services/kit/migrate/migrate.ts'
import { MigrationRefused } from '../services/kit/migrate/refusal.ts'
import { migratorVariables, passwordsOf } from '../services/kit/migrate/variables.ts'
import { setRetention } from '../services/organization/audit-log/queries.ts'
import { importDefaults } from './operations/catalog.ts'
import { CommandError } from './toolchain/command-error.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'

const PERMANENT = [BadConfiguration, ChangedMigration, MigrationRefused]

/** Repeatable. */
async function run({ catalogs = false }: { catalogs?: boolean }): Promise<void> {
  const config = readConfig(migratorVariables, process.env)
  await migrate({
    url: config.DATABASE_URL,
    passwords: passwordsOf(config),
    rolePrefix: config.DATABASE_ROLE_PREFIX,
    log: (line) => console.log(`migrated ${line}`),
  })
  const sql = connect(config.DATABASE_URL, { max: 1, applicationName: 'marketplace-migrate' })
  await setRetention(sql, config.AUDIT_RETENTION_MONTHS).finally(() => sql.end({ timeout: 5 }))
  if (catalogs) await importDefaults(config.DATABASE_URL)
  console.log('The database is up to date.')
  if (config.NATS_URL !== undefined) {
    await ensureStreams({
      url: config.NATS_URL,
      replicas: config.NATS_STREAM_REPLICAS,
      maxBytes: config.NATS_STREAM_MAX_BYTES,
      ...(config.NATS_CREDS_FILE === undefined ? {} : { credsFile: config.NATS_CREDS_FILE }),
    })
    console.log('The NATS streams are up to date.')
  }
}

await runCommandLine(
  commandLine(
    'bun scripts/migrate.ts',
    'Migrates the database of DATABASE_URL and, with NATS_URL, creates or updates the streams.',
  )
    .option('--catalogs', 'also loads the shipped file into every catalog that was not loaded from another file')
    .action((options) =>
      run(options).catch((error) => {
        if (error instanceof BadConfiguration) process.exitCode = 2
        throw PERMANENT.some((kind) => error instanceof kind) ? new CommandError(error.message) : error
      }),
    ),
)
