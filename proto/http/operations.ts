import { Kind, type TSchema } from '@sinclair/typebox'
import type { ServiceName } from '../services.ts'
import type { Operation } from './operation.ts'

/** Contract modules by path: `<service>/<resource>.ts`. */
const MODULES = new Map<string, Record<string, unknown>>(
  await Promise.all(
    [...new Bun.Glob('*/*.ts').scanSync(import.meta.dir)]
      .sort()
      .map(async (path) => [path, await import(`./${path}`)] as const),
  ),
)

const isSchema = (value: unknown): value is TSchema => value !== null && typeof value === 'object' && Kind in value

const isOperation = (value: unknown): value is Operation =>
  value !== null && typeof value === 'object' && 'method' in value && 'path' in value && 'access' in value

/**
 * The named schemas of the contract, which are the components of the OpenAPI document. Parts of schemas have small
 * names.
 */
export const SHAPES: ReadonlyMap<string, TSchema> = new Map(
  [...MODULES.values()].flatMap((module) =>
    Object.entries(module).filter((entry): entry is [string, TSchema] => /^[A-Z]/.test(entry[0]) && isSchema(entry[1])),
  ),
)

const operationsOf = (service: ServiceName): readonly Operation[] =>
  [...MODULES].flatMap(([path, module]) =>
    path.startsWith(`${service}/`) ? Object.values(module).filter(isOperation) : [],
  )

/**
 * Every operation, by the service that serves it. The list is derived from the contract modules, so a new operation
 * needs no registration.
 */
export const OPERATIONS: Record<ServiceName, readonly Operation[]> = {
  identity: operationsOf('identity'),
  catalog: operationsOf('catalog'),
  organization: operationsOf('organization'),
  sourcing: operationsOf('sourcing'),
  webhooks: operationsOf('webhooks'),
}
