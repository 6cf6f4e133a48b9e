import { SERVICES } from '../proto/services.ts'
import type { Context } from './bench/context.ts'
import { type Figure, failedFigure, tableOf } from './bench/figures.ts'
import { hasPgbench } from './bench/load/load.ts'
import { type Options, readOptions, type Section, USAGE } from './bench/options.ts'
import { measureAuditLog } from './bench/sections/audit.ts'
import { measureCatalog } from './bench/sections/catalog.ts'
import { measureCreate } from './bench/sections/create.ts'
import { measureMemory } from './bench/sections/memory.ts'
import { measurePages } from './bench/sections/pages.ts'
import { measureParts } from './bench/sections/parts.ts'
import { measureRefreshes } from './bench/sections/refresh.ts'
import { measureSignIn } from './bench/sections/sign-in.ts'
import { measureUploads } from './bench/sections/uploads.ts'
import { measureUsers } from './bench/sections/users.ts'
import { ensureAccount } from './bench/stage/accounts.ts'
import { openDatabase } from './bench/stage/database.ts'
import { findPlace, occupy } from './bench/stage/place.ts'
import { startServices } from './bench/stage/services.ts'
import { aborted, type Lifecycle, runCommand } from './toolchain/command.ts'
import { installPackages } from './toolchain/packages.ts'

const SECTIONS: Readonly<Record<Section, (context: Context) => Promise<Figure[]>>> = {
  memory: measureMemory,
  parts: measureParts,
  pages: measurePages,
  create: measureCreate,
  catalog: measureCatalog,
  users: measureUsers,
  'sign-in': measureSignIn,
  refresh: measureRefreshes,
  audit: measureAuditLog,
  uploads: measureUploads,
}

/** Loading records is part of the first run of a section. */
const SECTION_TIMEOUT_MS = 60 * 60_000

const PGBENCH_MISSING =
  'pgbench is missing: install the client tools of Postgres (Debian: postgresql-contrib) for the ratios to the database.'

process.env.INVOKED_AS ??= 'bun run bench'

// Progress goes to standard error, so that the table alone can be kept.
await runCommand(
  (lifecycle) => Promise.race([bench(readOptions(process.argv.slice(2)), lifecycle), aborted(lifecycle.signal)]),
  { progress: console.error },
)

async function bench({ quick, parts, help, sections }: Options, lifecycle: Lifecycle): Promise<number> {
  const { onStop, progress } = lifecycle
  if (help) {
    console.log(USAGE)
    return 0
  }
  await installPackages(progress)
  const place = await findPlace()
  onStop(await occupy(place))
  const database = await openDatabase(place, parts, lifecycle)
  progress('Starting the services')
  const services = await startServices(database, onStop, SERVICES)
  const context: Context = {
    ...{ database, services, parts, onStop, progress },
    account: await ensureAccount(database, services),
    auditEntries: quick ? 1_000_000 : 10_000_000,
    userCount: quick ? 100_000 : 1_000_000,
    pace: quick ? { rounds: 3, seconds: 1 } : { rounds: 5, seconds: 2 },
    trial: { rounds: 1, seconds: 1 },
  }
  const figures: Figure[] = []
  let failed = false
  // The table is printed after a signal too: the rows of finished sections are kept.
  onStop(async () => {
    if (figures.length > 0) console.log(tableOf(figures))
    if (!hasPgbench()) console.log(PGBENCH_MISSING)
  })
  for (const section of sections) {
    progress(`Measuring ${section}`)
    const began = Date.now()
    try {
      figures.push(...(await withTimeout(SECTIONS[section](context))))
    } catch (error) {
      console.error(error)
      figures.push(failedFigure(section, error))
      failed = true
    }
    progress(`Measured ${section} in ${Math.round((Date.now() - began) / 1000)} s`)
  }
  return failed ? 1 : 0
}

function withTimeout<Result>(work: Promise<Result>): Promise<Result> {
  const late = Bun.sleep(SECTION_TIMEOUT_MS).then((): never => {
    throw new Error(`not measured within ${SECTION_TIMEOUT_MS / 60_000} minutes`)
  })
  return Promise.race([work, late])
}
