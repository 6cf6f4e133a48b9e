import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'
import { copyApplication, copyFile } from './content.ts'
import { writeSystem } from './system.ts'

/** Runs a command in a container: there is no shell for the words of the entry point. */
const LAUNCHER = "#!/usr/local/bin/bun --no-install\nimport '/app/scripts/commands/marketplace/main.ts'\n"

/**
 * Writes the layers of the image to a folder: Bun, with its libraries if the image has no base, and the application.
 * The Dockerfile runs it in its build stage.
 */
async function assemble(folder: string): Promise<void> {
  const runtime = join(folder, 'runtime')
  if (process.env.BASE_IMAGE === 'scratch') await writeSystem(runtime)
  await copyFile(BUN, join(runtime, 'usr', 'local', 'bin', 'bun'), 0o755)
  const command = join(runtime, 'usr', 'local', 'bin', 'marketplace')
  await Bun.write(command, LAUNCHER)
  await chmod(command, 0o755)
  await copyApplication(join(folder, 'application', 'app'))
}

await runCommandLine(
  commandLine('bun scripts/lab/image/assemble.ts', 'Writes the layers of the image: Bun and the application.')
    .argument('<folder>', 'the folder to write to')
    .action(assemble),
)
