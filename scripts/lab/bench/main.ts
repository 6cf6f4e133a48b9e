import { aborted, type Lifecycle, runCommand } from '../../toolchain/command.ts'
import { installPackages } from '../../toolchain/packages.ts'
import type { Row } from './compare.ts'
import type { Context, Section } from './context.ts'
import { type DatabaseName, startDatabases } from './database.ts'
import { readOptions } from './options.ts'
import { measureAuditLog } from './sections/audit-log.ts'
import { measureAward } from './sections/award.ts'
import { measureCatalog } from './sections/catalog.ts'
import { measureCost } from './sections/cost.ts'
import { measureCreate } from './sections/create.ts'
import { measureImport } from './sections/import.ts'
import { measureInbox } from './sections/inbox.ts'
import { measureMemory } from './sections/memory.ts'
import { measurePackages } from './sections/packages.ts'
import { measurePages } from './sections/pages.ts'
import { measurePartitions } from './sections/partitions.ts'
import { measureParts } from './sections/parts.ts'
import { measurePublish } from './sections/publish.ts'
import { measureRefreshes } from './sections/refresh.ts'
import { measureReplica } from './sections/replica.ts'
import { measureSignIn } from './sections/sign-in.ts'
import { measureTrade } from './sections/trade.ts'
import { measureUploads } from './sections/uploads.ts'
import { measureUsers } from './sections/users.ts'
import { measureWebhookGrowth } from './sections/webhook-growth.ts'
import { measureWebhooks } from './sections/webhooks.ts'
import { measureWrites } from './sections/writes.ts'
import { type Platform, startBus, startServices } from './services.ts'
import { cellsOf, type FailedRow, tableOf } from './table.ts'

/** In the order of the run: memory first, directly after the start of the services. */
const SECTIONS: Readonly<Record<string, Section>> = {
  memory: measureMemory,
  parts: measureParts,
  pages: measurePages,
  create: measureCreate,
  cost: measureCost,
  catalog: measureCatalog,
  users: measureUsers,
  'sign-in': measureSignIn,
  refresh: measureRefreshes,
  'audit-log': measureAuditLog,
  uploads: measureUploads,
  trade: measureTrade,
  award: measureAward,
  publish: measurePublish,
  import: measureImport,
  packages: measurePackages,
  inbox: measureInbox,
  writes: measureWrites,
  webhooks: measureWebhooks,
}
/** Measured only where they are named, because they take several minutes. */
const ON_REQUEST: Readonly<Record<string, Section>> = {
  replica: measureReplica,
  partitions: measurePartitions,
  'webhook-growth': measureWebhookGrowth,
}

/** The database of each section that does not use the large one. */
const DATABASE_OF: Readonly<Record<string, DatabaseName>> = {
  trade: 'trade',
  award: 'trade',
  publish: 'trade',
  import: 'trade',
  packages: 'trade',
  inbox: 'writes',
  writes: 'writes',
  webhooks: 'webhooks',
  'webhook-growth': 'webhooks',
}

/** Their sections measure how events travel, so they have a broker as in production. */
const ON_NATS: readonly DatabaseName[] = ['webhooks', 'writes']

process.env.INVOKED_AS ??= 'bun run bench'

// Progress goes to standard error, so that standard output has only the table.
await runCommand((lifecycle) => Promise.race([bench(lifecycle), aborted(lifecycle.signal)]), {
  progress: console.error,
})

async function bench(lifecycle: Lifecycle): Promise<number> {
  const options = readOptions(process.argv.slice(2), Object.keys(SECTIONS), Object.keys(ON_REQUEST))
  if (typeof options === 'string') {
    console.log(options)
    return 0
  }
  const { onStop, progress } = lifecycle
  await installPackages(progress)
  const open = await startDatabases(options.parts, lifecycle)
  const platforms = new Map<DatabaseName, Promise<Platform>>()
  const start = async (name: DatabaseName) => {
    const database = await open(name)
    return startServices(database, onStop, ON_NATS.includes(name) ? await startBus(database, lifecycle) : undefined)
  }
  const platformOf = (name: DatabaseName) => {
    const platform = platforms.get(name) ?? start(name)
    platforms.set(name, platform)
    return platform
  }
  const context = { platformOf, pace: options.pace, onStop, progress }
  const rows: (Row | FailedRow)[] = []
  // The table is printed after a signal too: the rows of finished measurements are kept.
  onStop(async () => console.log(tableOf(rows)))
  for (const name of options.sections) await measure(name, context, rows)
  return rows.some((row) => 'reason' in row) ? 1 : 0
}

async function measure(name: string, context: Omit<Context, keyof Platform>, rows: (Row | FailedRow)[]): Promise<void> {
  const startedMs = performance.now()
  context.progress(`Measuring ${name}`)
  try {
    const platform = await context.platformOf(DATABASE_OF[name] ?? 'large')
    for await (const row of { ...SECTIONS, ...ON_REQUEST }[name]?.({ ...context, ...platform }) ?? []) {
      context.progress(`  ${row.what}: ${cellsOf(row).result}`)
      rows.push(row)
    }
  } catch (error) {
    console.error(error)
    rows.push({ what: name, reason: String(error).split('\n')[0] ?? '' })
  }
  context.progress(`Measured ${name} in ${Math.round((performance.now() - startedMs) / 1000)} s`)
}
