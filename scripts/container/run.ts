import { SERVICES } from '../../proto/services.ts'

/** The entry point of the image: its first argument names a service or a command, which reads the other arguments. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  ...Object.fromEntries(SERVICES.map((service) => [service, () => import(`../../services/${service}/main.ts`)])),
  all: () => import('../../services/all/main.ts'),
  migrate: () => import('../migrate.ts'),
  republish: () => import('../republish.ts'),
  operator: () => import('../operations/program.ts'),
  check: () => import('./check.ts'),
}

const [name = ''] = process.argv.splice(2, 1)
const program = PROGRAMS[name]
if (!program) {
  console.error(`${name === '' ? '' : `Unknown: ${name}. `}Name what to run: ${Object.keys(PROGRAMS).join(', ')}.`)
  process.exit(2)
}
await program()
