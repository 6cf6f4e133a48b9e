import { isHelpWanted, printedHelp } from './toolchain/help.ts'
import { installPackages } from './toolchain/packages.ts'
import { explain } from './toolchain/refusal.ts'

if (printedHelp('demo')) process.exit(0)
try {
  if (!isHelpWanted()) await installPackages(console.error, 'production')
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
// The demo imports packages, so it is loaded after the installation.
await import('./trade/program.ts')
