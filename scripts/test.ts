import { bringPackages } from './toolchain/packages.ts'
import { explain } from './toolchain/refusal.ts'
import { runChecks } from './verify/checks.ts'
import { findTests, type Options, readOptions, USAGE } from './verify/options.ts'
import { makeTemplate, type Preparation, startServers } from './verify/servers.ts'
import { add, NOTHING, type Tally } from './verify/tally.ts'
import { runTests } from './verify/tests.ts'

const stopping = new AbortController()
const { signal } = stopping
const undo: (() => Promise<void>)[] = []
let code = 0

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The second one does not wait; the next run removes what is left behind.
    if (signal.aborted) process.exit(130)
    stopping.abort()
  })
}

const print = (text: string) => console.log(text)
const fail = (error: unknown) => {
  console.error(explain(error))
  code = 1
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) print(USAGE)
  else code = await verify(options, { signal, print, onStop: (step) => undo.push(step) })
} catch (error) {
  if (!signal.aborted) fail(error)
}
for (const step of undo.reverse()) await step().catch(fail)
process.exit(signal.aborted ? 130 : code)

async function verify(options: Options, preparation: Preparation): Promise<number> {
  const began = performance.now()
  await bringPackages(print)
  const files = await findTests(options, process.env.INVOKED_FROM ?? process.cwd())
  const [checks, tests] = await Promise.all([
    options.paths.length === 0 ? runChecks({ quick: options.quick, print, signal }) : NOTHING,
    test(files, preparation),
  ])
  const seconds = Math.round((performance.now() - began) / 1000)
  print(`${titleOf(options)} took ${seconds} s`)
  return report(add(checks, tests))
}

/** Starts what the tests need and runs them; the checks go on beside. */
async function test(files: string[], preparation: Preparation): Promise<Tally> {
  const servers = await startServers(files, preparation)
  // What the caller's shell says about a database or a bus is about another one.
  const { DATABASE_URL: _database, DATABASE_DIRECT_URL: _direct, NATS_URL: _nats, ...inherited } = process.env
  const env = {
    ...inherited,
    TEST_DATABASE_URL: servers.databaseUrl,
    TEST_NATS_SERVER: servers.natsServer,
    TEST_S3_SERVER: servers.s3Server,
    TEST_FOLDER: servers.folder,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
  }
  const template = await makeTemplate(env, preparation)
  const tests = files.length === 0 ? NOTHING : await runTests({ files, env, folder: servers.folder, signal, print })
  return [servers.tally, template, tests].reduce(add)
}

/** The closing lines; a skipped test is neither, but is never passed over in silence. */
function report({ passed, failed, skipped }: Tally): number {
  if (skipped > 0) print(`${skipped} skipped`)
  print(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

function titleOf({ quick, paths }: Options): string {
  if (paths.length > 0) return 'What was named'
  return quick ? 'The quick half' : 'Everything'
}
