import { MAX_SCIM_OPERATIONS } from '../../../proto/http/organization/scim.ts'
import { attributesOf, bodyOf, isObject } from './attributes.ts'
import { type AttributePath, pathOf } from './paths.ts'
import { wrong } from './problems.ts'

const KINDS = ['add', 'replace', 'remove'] as const

/** One change of one attribute. */
export interface Change {
  kind: (typeof KINDS)[number]
  path: AttributePath
  /** Whether the client named the path. Attributes that cannot change are ignored in an object. */
  isNamed: boolean
  value: unknown
}

/** Reads the operations of a PATCH in their order (RFC 7644, section 3.5.2). Names and operators have any case. */
export function changesOf(body: Record<string, unknown>): Change[] {
  const operations = bodyOf(body).get('operations')
  if (!Array.isArray(operations) || operations.length === 0)
    throw wrong('invalidSyntax', 'Operations', 'must be a list of operations')
  if (operations.length > MAX_SCIM_OPERATIONS)
    throw wrong('invalidValue', 'Operations', `may be at most ${MAX_SCIM_OPERATIONS}`)
  return operations.flatMap(changesOfOperation)
}

function changesOfOperation(operation: unknown): Change[] {
  if (!isObject(operation)) throw wrong('invalidSyntax', 'Operations', 'must be a list of operations')
  const fields = attributesOf(operation)
  const op = fields.get('op')
  const kind = KINDS.find((each) => typeof op === 'string' && op.toLowerCase() === each)
  if (!kind) throw wrong('invalidSyntax', 'op', `must be one of ${KINDS.join(', ')}`)
  const path = fields.get('path') ?? undefined
  const value = fields.get('value')
  if (path !== undefined && typeof path !== 'string') throw wrong('invalidPath', 'path', 'must be a text')
  if (path !== undefined && path !== '') return [{ kind, path: pathOf(path), isNamed: true, value }]
  if (kind === 'remove') throw wrong('noTarget', 'path', 'is required to remove')
  if (!isObject(value)) throw wrong('invalidValue', 'value', 'must be an object where there is no path')
  return assignmentsOf(value, kind)
}

/** Each attribute of an object as a change. Entra ID has paths as names: `"name.givenName"`. */
export const assignmentsOf = (value: Record<string, unknown>, kind: 'add' | 'replace'): Change[] =>
  Object.entries(value).flatMap(([name, each]) => {
    const path = pathIfValid(name)
    return path ? [{ kind, path, isNamed: false, value: each }] : []
  })

/** Refuses a path to a part that its attribute does not have. In an object, its name is one of an unknown attribute. */
export function refusePart({ isNamed }: Change): object {
  if (isNamed) throw wrong('invalidPath', 'path', 'must not choose a part that the attribute does not have')
  return {}
}

/** Undefined for a malformed name: an unknown attribute can have any name. */
function pathIfValid(name: string): AttributePath | undefined {
  try {
    return pathOf(name)
  } catch {
    return undefined
  }
}
