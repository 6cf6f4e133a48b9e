import { explain } from './command-error.ts'
import { installPackages, type Packages } from './packages.ts'

/** The packages that a command needs; `dev` and `test` install theirs as a step of their own. */
const PACKAGES: Readonly<Record<string, Packages>> = {
  client: 'all',
  demo: 'production',
  migrate: 'production',
  /** In the build stage of the image. */
  marketplace: 'services',
  operator: 'production',
  republish: 'production',
}

/**
 * Runs before a command in a process of its own, because a running Bun does not see packages that are installed later.
 */
const [name = '', ...words] = process.argv.slice(2)
const packages = PACKAGES[name]
const isHelpWanted = words.includes('--help') || words.includes('-h')
if (packages && !isHelpWanted) {
  await installPackages(console.error, packages).catch((error) => {
    console.error(explain(error))
    process.exit(1)
  })
}
