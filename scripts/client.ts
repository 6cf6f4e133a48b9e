import { explain } from './toolchain/command-error.ts'
import { isHelpWanted, printedHelp } from './toolchain/help.ts'
import { installPackages } from './toolchain/packages.ts'

if (printedHelp('client')) process.exit(0)
try {
  if (!isHelpWanted()) await installPackages(console.error)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
// The command imports packages, so it is loaded after the installation.
await import('./toolchain/client-package.ts')
