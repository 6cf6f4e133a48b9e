import { PGBENCH_MISSING } from './bench/bench.ts'
import { type Figure, tableOf } from './bench/figures.ts'
import { hasPgbench } from './bench/load/pgbench.ts'
import { MEASURES } from './bench/measures/measures.ts'
import { type Options, readOptions, USAGE } from './bench/options.ts'
import { openDatabase } from './bench/stage/database.ts'
import { ensureAccount } from './bench/stage/people.ts'
import { findPlace, occupy } from './bench/stage/place.ts'
import { startServices } from './bench/stage/services.ts'
import { bringPackages } from './toolchain/packages.ts'
import { explain } from './toolchain/refusal.ts'

process.env.INVOKED_AS ??= 'bun run bench'

const stopping = new AbortController()
const { signal } = stopping
const undo: (() => Promise<void>)[] = []
const onStop = (step: () => Promise<void>) => undo.push(step)
let code = 0

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The second one does not wait; the next run stops what is left behind.
    if (signal.aborted) process.exit(130)
    stopping.abort()
  })
}

/** Beside the table, so that the table alone can be kept. */
const progress = (line: string) => console.error(line)

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) console.log(USAGE)
  else {
    const interrupted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    await Promise.race([bench(options), interrupted])
  }
} catch (error) {
  code = signal.aborted ? 130 : 1
  if (!signal.aborted) console.error(explain(error))
}
for (const step of undo.reverse()) await step().catch((error) => console.error(explain(error)))
process.exit(code)

async function bench({ quick, parts, sections }: Options): Promise<void> {
  await bringPackages(progress)
  const place = await findPlace()
  onStop(await occupy(place))
  const database = await openDatabase({ place, parts, signal, onStop, progress })
  progress('Starting the services')
  const services = await startServices(database, onStop)
  const account = await ensureAccount(database, services.identity.url)
  const auditEntries = quick ? 1_000_000 : 10_000_000
  const userCount = quick ? 100_000 : 1_000_000
  const paces = quick
    ? { pace: { rounds: 3, seconds: 2 }, trial: { rounds: 1, seconds: 1 } }
    : { pace: { rounds: 7, seconds: 4 }, trial: { rounds: 3, seconds: 1 } }
  const figures: Figure[] = []
  try {
    for (const section of sections) {
      progress(`Measuring ${section}`)
      figures.push(
        ...(await MEASURES[section]({
          database,
          services,
          account,
          parts,
          auditEntries,
          userCount,
          ...paces,
          onStop,
          progress,
        })),
      )
    }
  } finally {
    // What was measured is worth having, whatever came after it.
    if (figures.length > 0) console.log(tableOf(figures))
  }
  if (!hasPgbench()) console.log(PGBENCH_MISSING)
}
