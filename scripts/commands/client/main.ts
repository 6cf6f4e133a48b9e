import { join } from 'node:path'
import { ROOT } from '../../toolchain/checkout.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { buildServedClients, packTypescript } from '../../toolchain/served-clients.ts'

async function build({ served }: { served?: true }): Promise<void> {
  if (served) {
    for (const path of await buildServedClients(console.error)) console.log(path)
    return
  }
  const folder = process.env.INVOKED_FROM ?? process.cwd()
  await packTypescript(folder)
  const { version } = await Bun.file(join(ROOT, 'proto', 'clients', 'typescript', 'package.json')).json()
  console.log(join(folder, `marketplace-client-${version}.tgz`))
}

await runCommandLine(
  commandLine(
    './scripts/client',
    'Builds the package of the TypeScript client and its command line in the current folder, and prints its path.',
  )
    .option('--served', 'builds it and the package of the Python client where the marketplace serves them')
    .action(build),
)
