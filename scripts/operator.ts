import { CATALOG_USAGE, catalog } from './operations/catalog.ts'
import { KEYS_USAGE, keys } from './operations/keys.ts'
import {
  BOOTSTRAP_USAGE,
  bootstrap,
  RESET_USAGE,
  RESTORE_USAGE,
  resetPassword,
  restoreAdministrator,
} from './operations/people.ts'
import { installPackages } from './toolchain/packages.ts'
import { explain } from './toolchain/refusal.ts'

const COMMANDS: Record<string, (args: string[]) => Promise<unknown>> = {
  bootstrap,
  'reset-password': resetPassword,
  'restore-administrator': restoreAdministrator,
  keys,
  catalog,
}

const USAGE = `Usage: ./scripts/operator <command>

  ${[BOOTSTRAP_USAGE, RESET_USAGE, RESTORE_USAGE, KEYS_USAGE, CATALOG_USAGE].join('\n  ')}

Environment:
  DATABASE_URL     the owner's URL of the database; unset: the marketplace that ./scripts/dev runs in this checkout
  ENCRYPTION_KEYS  the value that the services have
`

const [name = '', ...args] = process.argv.slice(2)
const command = COMMANDS[name]
if (!command) {
  const wanted = name === '--help' || name === 'help'
  ;(wanted ? console.log : console.error)(USAGE)
  process.exit(wanted ? 0 : 2)
}
try {
  await installPackages(() => {})
  await command(args)
  process.exit(process.exitCode ?? 0)
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
