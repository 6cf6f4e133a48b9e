import { join } from 'node:path'
import { PATHS } from '../proto/paths.ts'
import { CommandError } from './toolchain/command-error.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'

const FOLDER = join(import.meta.dir, '..', 'charts', 'marketplace', 'files')

/** The paths of each service, for ingress and routes. */
const pathsText = () =>
  Object.entries(PATHS)
    .map(([service, prefixes]) => `${service}:\n${prefixes.map((prefix) => `  - ${prefix}\n`).join('')}`)
    .join('')

const FILES: Record<string, () => string> = {
  'paths.yaml': pathsText,
}

async function write({ check = false }): Promise<void> {
  const stale: string[] = []
  for (const [name, textOf] of Object.entries(FILES)) {
    const file = Bun.file(join(FOLDER, name))
    if ((await file.exists()) && (await file.text()) === textOf()) continue
    stale.push(name)
    if (!check) await Bun.write(file, textOf())
  }
  if (check && stale.length > 0)
    throw new CommandError(`Out of date: ${stale.join(', ')}. Run bun scripts/chart.ts and commit.`)
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'The generated files of the chart are up to date.')
}

await runCommandLine(
  commandLine('bun scripts/chart.ts', 'Writes the files of charts/marketplace that derive from the code.')
    .option('--check', 'fails if a file is out of date, and writes nothing')
    .action(write),
)
