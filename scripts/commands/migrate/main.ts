import { connectOnce } from '../../../services/kit/bus/nats/connection.ts'
import { natsOptionsOf } from '../../../services/kit/bus/nats/options.ts'
import { ensureStreams, requireStreams, StreamsRefused } from '../../../services/kit/bus/nats/streams.ts'
import { BadConfiguration, readConfig } from '../../../services/kit/config/read.ts'
import { connect } from '../../../services/kit/db/client.ts'
import { isDependencyFailure } from '../../../services/kit/db/failures.ts'
import { withPasswordFile } from '../../../services/kit/db/password-file.ts'
import { ChangedMigration, FailedMigration, findInstallation, migrate } from '../../../services/kit/migrate/migrate.ts'
import { MigrationRefused } from '../../../services/kit/migrate/refusal.ts'
import {
  migratorProblems,
  migratorVariables,
  passwordsOf,
  webhooksOwnerUrl,
} from '../../../services/kit/migrate/variables.ts'
import { setRetention } from '../../../services/organization/audit-log/queries.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { importDefaults } from '../operator/catalog.ts'
import { EXIT_PERMANENT, PermanentRefusal, waitForServer } from '../operator/wait-for-server.ts'

type Config = ReturnType<typeof configure>
const configure = () => readConfig(migratorVariables, process.env, migratorProblems)

/** Repeatable. */
async function run({ catalogs = false }: { catalogs?: boolean }): Promise<void> {
  const config = configure()
  const passwords = passwordsOf(config)
  const url = withPasswordFile(config.DATABASE_URL, config.DATABASE_PASSWORD_FILE)
  const webhooksUrl = webhooksOwnerUrl(config)
  for (const each of [url, webhooksUrl ?? url]) {
    await waitForServer({ name: `Postgres on ${hostOf(each)}`, connect: () => signIn(each) })
  }
  const options = {
    passwords,
    rolePrefix: config.DATABASE_ROLE_PREFIX,
    log: (line: string) => console.log(`migrated ${line}`),
  }
  await migrate({ ...options, url, part: webhooksUrl === undefined ? 'all' : 'others' })
  const sql = connect(url, { max: 1, applicationName: 'marketplace-migrate' })
  const installation = await setRetention(sql, config.AUDIT_RETENTION_MONTHS)
    .then(() => findInstallation(sql))
    .finally(() => sql.end({ timeout: 5 }))
  if (webhooksUrl !== undefined) {
    await migrate({ ...options, url: webhooksUrl, part: 'webhooks', installation: installation?.id as string })
  }
  if (catalogs) await importDefaults(url)
  console.log('The database is up to date.')
  await prepareStreams(config, installation?.id as string)
}

async function signIn(url: string): Promise<void> {
  const sql = connect(url, { max: 1, applicationName: 'marketplace-migrate' })
  await sql`select 1`.finally(() => sql.end({ timeout: 1 }))
}

async function prepareStreams(config: Config, installation: string): Promise<void> {
  const nats = natsOptionsOf(config)
  if (nats === undefined) return
  await waitForServer({
    name: `NATS on ${nats.url.split(',').map(hostOf).join(', ')}`,
    connect: async () => (await connectOnce(nats, 'marketplace-streams')).nc.close(),
  })
  const { NATS_STREAM_REPLICAS: replicas, NATS_STREAM_MAX_BYTES: maxBytes } = config
  const options = { ...nats, installation, replicas, maxBytes }
  if (config.NATS_MANAGE_STREAMS) await ensureStreams(options)
  else await requireStreams(options)
  console.log('The NATS streams are up to date.')
}

const hostOf = (url: string) => new URL(url).host

/** Their messages are sentences for the person who installs. */
const PERMANENT = [BadConfiguration, ChangedMigration, MigrationRefused, PermanentRefusal, StreamsRefused]

/** Ends with a sentence, and with a code that tells whether another attempt can succeed. */
function explainFailure(error: unknown): never {
  if (error instanceof FailedMigration && isDependencyFailure(error.cause)) throw new CommandError(error.message)
  const isPermanent = error instanceof FailedMigration || PERMANENT.some((kind) => error instanceof kind)
  if (!isPermanent) throw error
  process.exitCode = EXIT_PERMANENT
  throw new CommandError((error as Error).message)
}

await runCommandLine(
  commandLine(
    './scripts/migrate',
    'Migrates the database of DATABASE_URL, that of WEBHOOKS_OWNER_DATABASE_URL if webhooks have their own, and with NATS_URL creates or updates the streams.',
  )
    .option('--catalogs', 'also loads the shipped file into every catalog that was not loaded from another file')
    .action((options) => run(options).catch(explainFailure)),
)
