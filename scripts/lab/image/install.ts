import { installPackages } from '../../toolchain/packages.ts'

/**
 * Installs what the services need, in a process of its own: a running Bun does not see packages that are installed
 * later.
 */
await installPackages(console.log, 'services')
