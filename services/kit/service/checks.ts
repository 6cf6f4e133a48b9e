import type { ServiceName } from '../../../proto/services.ts'
import { shared } from '../answers/shared.ts'
import { within } from '../answers/within.ts'

/** What a service needs, with a request to it that fails where the service cannot use it. */
export interface Dependency {
  /** As in "catalog cannot use Postgres". */
  name: string
  check(): PromiseLike<unknown>
}

export interface CheckedDependency {
  component: ServiceName
  dependency: string
  /** Why it cannot be used; null if it can. */
  failure: string | null
}

const DEADLINE_MS = 10_000

interface Checked {
  name: ServiceName
  dependencies: readonly Dependency[]
}

/** Returns a function that asks every dependency of the services now. Calls at the same time share one check. */
export function dependencyChecks(services: readonly Checked[]): () => Promise<CheckedDependency[]> {
  return shared(() =>
    Promise.all(
      services.flatMap(({ name: component, dependencies }) =>
        dependencies.map(async ({ name, check }) => ({ component, dependency: name, failure: await failureOf(check) })),
      ),
    ),
  )
}

async function failureOf(check: Dependency['check']): Promise<string | null> {
  try {
    await within(DEADLINE_MS, check(), () => new Error(`no answer within ${DEADLINE_MS / 1000} seconds`))
    return null
  } catch (error) {
    const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } }
    const inner = cause?.code ?? code
    const { message } = error as Error
    return typeof inner === 'string' && !message.includes(inner) ? `${message} (${inner})` : message
  }
}
