import { type Lifecycle, runCommand } from '../../toolchain/command.ts'
import { installPackages } from '../../toolchain/packages.ts'
import { runChecks } from './checks.ts'
import { findTests, type Options, readOptions, USAGE } from './options.ts'
import { add, NOTHING, type Tally } from './tally.ts'
import { testWithServers } from './with-servers.ts'

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
    options.paths.length === 0 ? runChecks({ ...options, print, signal: lifecycle.signal }) : NOTHING,
    testWithServers(files, lifecycle, print, async () => (options.lab ? { TEST_LAB: 'true' } : {})),
  ])
  const seconds = Math.round((performance.now() - began) / 1000)
  print(`${titleOf(options)} took ${seconds} s`)
  return report(add(checks, tests))
}

/** Prints what failed, so that the end of a long log suffices, with the totals, and returns the exit code. */
function report({ passed, failed, skipped, failures }: Tally): number {
  for (const failure of failures) print(`FAILED  ${failure}`)
  if (skipped > 0) print(`${skipped} skipped`)
  print(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

function titleOf({ quick, paths }: Options): string {
  if (paths.length > 0) return 'These tests'
  return quick ? 'The quick tests' : 'All checks and tests'
}
