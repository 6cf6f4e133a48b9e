import type { Context, Section } from './bench/context.ts'
import { readOptions, usageOf } from './bench/options.ts'
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
import { activateAdministrators } from './bench/stage/accounts.ts'
import { openDatabase } from './bench/stage/database.ts'
import { startServices } from './bench/stage/services.ts'
import { failedRow, type Row, tableOf } from './bench/table.ts'
import { aborted, type Lifecycle, runCommand } from './toolchain/command.ts'
import { installPackages } from './toolchain/packages.ts'

/** In the order of the run: memory first, directly after the start of the services. */
const SECTIONS: Readonly<Record<string, Section>> = {
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

process.env.INVOKED_AS ??= 'bun run bench'

// Progress goes to standard error, so that standard output has only the table.
await runCommand((lifecycle) => Promise.race([bench(lifecycle), aborted(lifecycle.signal)]), {
  progress: console.error,
})

async function bench(lifecycle: Lifecycle): Promise<number> {
  const { help, sections, size, pace } = readOptions(process.argv.slice(2), Object.keys(SECTIONS))
  if (help) {
    console.log(usageOf(Object.keys(SECTIONS)))
    return 0
  }
  const { onStop, progress } = lifecycle
  await installPackages(progress)
  const database = await openDatabase(size, lifecycle)
  progress('Starting the services')
  const context: Context = { database, services: await startServices(database, onStop), pace, onStop, progress }
  await activateAdministrators(context)
  const rows: Row[] = []
  // The table is printed after a signal too: the rows of finished measurements are kept.
  onStop(async () => console.log(tableOf(rows)))
  for (const name of sections) await measure(name, context, rows)
  return rows.some(({ result }) => result === 'FAILED') ? 1 : 0
}

async function measure(name: string, context: Context, rows: Row[]): Promise<void> {
  const began = Date.now()
  context.progress(`Measuring ${name}`)
  try {
    for await (const row of SECTIONS[name]?.(context) ?? []) {
      context.progress(`  ${row.what}: ${row.result}`)
      rows.push(row)
    }
  } catch (error) {
    console.error(error)
    rows.push(failedRow(name, error))
  }
  context.progress(`Measured ${name} in ${Math.round((Date.now() - began) / 1000)} s`)
}
