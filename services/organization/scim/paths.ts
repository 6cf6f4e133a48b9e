import { MAX_SCIM_PATH_CHARACTERS } from '../../../proto/http/organization/scim.ts'
import { wrong } from './problems.ts'

/** The attribute that a path names, in lower case. Undefined: one of an extension, which this service ignores. */
export interface AttributePath {
  attribute: string | undefined
  /** The element of a list: `type` and "work" of `emails[type eq "work"]`. */
  element?: { attribute: string; value: unknown }
  sub?: string
}

/** Whether a path names an attribute as a whole. */
export const isWhole = ({ element, sub }: AttributePath) => element === undefined && sub === undefined

const CORE_PREFIX = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/i
/** A string of JSON. Each character matches in only one way, so that the search is linear. */
const TEXT = '"(?:[^"\\\\]|\\\\.)*"'
const PATH = new RegExp(
  `^([a-z$][\\w$-]*)(?:\\[\\s*([a-z]\\w*)\\s+eq\\s+(${TEXT}|true|false)\\s*\\])?(?:\\.([a-z$][\\w$-]*))?$`,
  'i',
)
const FILTER = new RegExp(`^\\s*([a-z][\\w.$:-]*)\\s+eq\\s+(${TEXT})\\s*$`, 'i')

/** The value of a literal; undefined if it is malformed or cannot be stored. */
function literalOf(text: string): unknown {
  try {
    const value: unknown = text.startsWith('"') ? JSON.parse(text) : text.toLowerCase() === 'true'
    return typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()) ? undefined : value
  } catch {
    return undefined
  }
}

/** Reads the path of a PATCH (RFC 7644, section 3.5.2). */
export function pathOf(text: string): AttributePath {
  if (text.length > MAX_SCIM_PATH_CHARACTERS)
    throw wrong('invalidPath', 'path', `must have at most ${MAX_SCIM_PATH_CHARACTERS} characters`)
  const path = text.replace(CORE_PREFIX, '')
  if (/^urn:/i.test(path)) return { attribute: undefined }
  const [, attribute, name, literal, sub] = PATH.exec(path) ?? []
  const value = literal === undefined ? undefined : literalOf(literal)
  if (attribute === undefined || (literal !== undefined && value === undefined))
    throw wrong('invalidPath', 'path', 'must be an attribute, such as name.givenName or emails[type eq "work"].value')
  return {
    attribute: attribute.toLowerCase(),
    ...(name === undefined ? {} : { element: { attribute: name.toLowerCase(), value } }),
    ...(sub === undefined ? {} : { sub: sub.toLowerCase() }),
  }
}

/** Reads a filter, which compares one of the attributes with a text. Names and the operator have any case. */
export function filterOf<const Name extends string>(
  text: string | undefined,
  attributes: readonly Name[],
): { attribute: Name; value: string } | undefined {
  if (text === undefined) return undefined
  const [, name = '', literal = ''] = FILTER.exec(text) ?? []
  const plain = name.replace(CORE_PREFIX, '').toLowerCase()
  const attribute = attributes.find((each) => each.toLowerCase() === plain)
  const value = literal === '' ? undefined : literalOf(literal)
  if (attribute === undefined || typeof value !== 'string')
    throw wrong('invalidFilter', 'filter', `must be ${attributes.map((each) => `${each} eq "…"`).join(' or ')}`)
  return { attribute, value }
}
