import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Argument } from 'commander'
import { ROOT } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import type { GeneratedFiles } from './files.ts'

interface Generator {
  files: () => GeneratedFiles | Promise<GeneratedFiles>
  /** Runs only where it is named: why. */
  onRequest?: string
  /** Its files are git-ignored, so `--check` has nothing to compare. */
  isIgnored?: boolean
}

/** Loaded where they run, because the types of the client are written before anything else compiles. */
const GENERATORS: Readonly<Record<string, Generator>> = {
  openapi: { files: async () => (await import('./openapi.ts')).documentFiles() },
  'client-types': { files: async () => (await import('./client-types.ts')).clientTypeFiles(), isIgnored: true },
  diagrams: { files: async () => (await import('./diagrams.ts')).diagramFiles() },
  chart: { files: async () => (await import('./chart.ts')).chartFiles() },
  icons: { files: async () => (await import('./icons.ts')).iconFiles() },
  configuration: { files: async () => (await import('./configuration.ts')).configurationFiles() },
  'reference-licences': {
    files: async () => (await import('./reference-licences.ts')).licenceFiles(),
    onRequest: 'it installs 280 MB of packages into a temporary folder',
  },
}

/** Writes the files that are out of date, or refuses them. */
async function generate(names: readonly string[], { check = false }): Promise<void> {
  const stale: string[] = []
  for (const [name, { files, onRequest, isIgnored = false }] of Object.entries(GENERATORS)) {
    const isWanted = names.length > 0 ? names.includes(name) : !onRequest
    if (!isWanted || (check && isIgnored)) continue
    for (const [path, text] of await files()) {
      if (await isUpToDate(path, text)) continue
      stale.push(path)
      if (!check) await write(path, text)
    }
  }
  if (check && stale.length > 0) {
    throw new CommandError(
      `Out of date: ${stale.join(', ')}. If the change is intended, run bun run generate and commit.`,
    )
  }
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'The generated files are up to date.')
}

async function isUpToDate(path: string, text: string): Promise<boolean> {
  const file = Bun.file(join(ROOT, path))
  return (await file.exists()) && (await file.text()) === text
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(ROOT, path)), { recursive: true })
  await Bun.write(join(ROOT, path), text)
}

const onRequest = Object.entries(GENERATORS).flatMap(([name, { onRequest }]) =>
  onRequest ? [`${name} runs only where it is named: ${onRequest}`] : [],
)

await runCommandLine(
  commandLine('bun run generate', 'Writes the files that derive from the contract and the code.')
    .addArgument(
      new Argument('[names...]', `the generators to run; default: all. ${onRequest}`).choices(Object.keys(GENERATORS)),
    )
    .option('--check', 'fails if a committed file is out of date, and writes nothing')
    .action(generate),
)
