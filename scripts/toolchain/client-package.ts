import { join } from 'node:path'
import { BUN, ROOT } from './checkout.ts'
import { CommandError } from './command-error.ts'
import { commandLine, runCommandLine } from './command-line.ts'
import { run, tail } from './run.ts'

async function build(): Promise<void> {
  const folder = process.env.INVOKED_FROM ?? process.cwd()
  const cwd = join(ROOT, 'proto', 'clients', 'typescript')
  const { code, output } = await run([BUN, 'pm', 'pack', '--quiet', '--destination', folder], { cwd })
  if (code !== 0) throw new CommandError(`The package could not be built:\n${tail(output)}`)
  const { version } = await Bun.file(join(cwd, 'package.json')).json()
  console.log(join(folder, `marketplace-client-${version}.tgz`))
}

await runCommandLine(
  commandLine(
    './scripts/client',
    'Builds the package of the TypeScript client and its command line in the current folder, and prints its path.',
  ).action(build),
)
