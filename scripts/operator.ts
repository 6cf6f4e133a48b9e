import { installPackages } from './toolchain/packages.ts'
import { explain } from './toolchain/refusal.ts'

try {
  await installPackages(console.error, 'production')
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
// The commands import packages, so they are loaded after the installation.
await import('./operations/program.ts')
