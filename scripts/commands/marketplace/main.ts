import { constants } from 'node:os'
import type { ServiceName } from '../../../proto/services.ts'

type Program = () => Promise<unknown>

/**
 * The entry point of the image: its first argument names a service or a command, which reads the other arguments. Each
 * import is literal, because the content of the image is found by them.
 */
const SERVICE_PROGRAMS: Readonly<Record<ServiceName, Program>> = {
  identity: () => import('../../../services/identity/main.ts'),
  catalog: () => import('../../../services/catalog/main.ts'),
  organization: () => import('../../../services/organization/main.ts'),
  sourcing: () => import('../../../services/sourcing/main.ts'),
  webhooks: () => import('../../../services/webhooks/main.ts'),
}
const PROGRAMS: Readonly<Record<string, Program>> = {
  ...SERVICE_PROGRAMS,
  all: () => import('../../../services/all/main.ts'),
  migrate: () => import('../migrate/main.ts'),
  republish: () => import('../republish/main.ts'),
  operator: () => import('../operator/main.ts'),
  check: () => import('./check.ts'),
  tools: () => import('./tools.ts'),
}

const [name = ''] = process.argv.splice(2, 1)
const program = PROGRAMS[name]
if (!program) {
  console.error(`${name === '' ? '' : `Unknown: ${name}. `}Name what to run: ${Object.keys(PROGRAMS).join(', ')}.`)
  process.exit(2)
}
// The first process of a container has no default action for a signal. A running service has a handler of its own.
process.once('SIGTERM', () => {
  if (process.listenerCount('SIGTERM') === 0) process.exit(128 + constants.signals.SIGTERM)
})
await program()
