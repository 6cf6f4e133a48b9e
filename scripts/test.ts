import { type Lifecycle, runCommand } from './toolchain/command.ts'
import { installPackages } from './toolchain/packages.ts'
import { runChecks } from './verify/checks.ts'
import { findTests, type Options, readOptions, USAGE } from './verify/options.ts'
import { makeTemplate, startServers } from './verify/servers.ts'
import { add, NOTHING, type Tally } from './verify/tally.ts'
import { runTests } from './verify/tests.ts'

const print = (text: string) => console.log(text)

await runCommand(async (lifecycle) => {
  const options = readOptions(process.argv.slice(2))
  if (!options.help) return verify(options, lifecycle)
  print(USAGE)
  return 0
})

async function verify(options: Options, lifecycle: Lifecycle): Promise<number> {
  const began = performance.now()
  await installPackages(print)
  const files = await findTests(options, process.env.INVOKED_FROM ?? process.cwd())
  const [checks, tests] = await Promise.all([
    options.paths.length === 0 ? runChecks({ quick: options.quick, print, signal: lifecycle.signal }) : NOTHING,
    test(files, lifecycle),
  ])
  const seconds = Math.round((performance.now() - began) / 1000)
  print(`${titleOf(options)} took ${seconds} s`)
  return report(add(checks, tests))
}

/** Starts the servers of the tests and runs them; the checks run at the same time. */
async function test(files: string[], lifecycle: Lifecycle): Promise<Tally> {
  const servers = await startServers(files, lifecycle)
  // These variables of the caller's shell refer to other servers than those of the tests.
  const { DATABASE_URL: _database, DATABASE_DIRECT_URL: _direct, NATS_URL: _nats, ...inherited } = process.env
  const env = {
    ...inherited,
    TEST_DATABASE_URL: servers.databaseUrl,
    TEST_NATS_SERVER: servers.natsServer,
    TEST_S3_SERVER: servers.s3Server,
    TEST_PYTHON_PACKAGES: servers.pythonPackages,
    TEST_FOLDER: servers.folder,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
  }
  const template = await makeTemplate(env, lifecycle)
  const tests =
    files.length === 0
      ? NOTHING
      : await runTests({ files, env, folder: servers.folder, signal: lifecycle.signal, print })
  return [servers.tally, template, tests].reduce(add)
}

/** Prints the totals and returns the exit code. */
function report({ passed, failed, skipped }: Tally): number {
  if (skipped > 0) print(`${skipped} skipped`)
  print(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

function titleOf({ quick, paths }: Options): string {
  if (paths.length > 0) return 'These tests'
  return quick ? 'The quick tests' : 'All checks and tests'
}
