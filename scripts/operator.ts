import { explain } from './toolchain/command-error.ts'
import { isHelpWanted, printedHelp } from './toolchain/help.ts'
import { installPackages } from './toolchain/packages.ts'

if (printedHelp('operator')) process.exit(0)
try {
  if (!isHelpWanted()) await installPackages(console.error, 'production')
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
// The commands import packages, so they are loaded after the installation.
await import('./operator-commands/program.ts')
