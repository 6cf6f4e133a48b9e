import { ScimExternalId } from '../../../proto/http/organization/scim.ts'
import { problemFinder } from '../../kit/http/body.ts'
import { type Attributes, attributesOf, booleanOf, elementsOf, isObject, textOf } from './attributes.ts'
import { type Change, refusePart } from './patches.ts'
import { type AttributePath, isWhole } from './paths.ts'
import { immutable, wrongValue } from './problems.ts'

/** What a request says of a user. An absent attribute is kept. */
export interface UserAttributes {
  /** The address of the attribute `userName`. */
  userName?: string
  /** The address in `emails`, which is the same as `userName` here. */
  email?: string
  /** null: the user has none at the provider. */
  givenName?: string | null
  familyName?: string | null
  externalId?: string | null
  active?: boolean
}

const READ_ONLY = ['id', 'meta', 'schemas', 'groups']
/** Attributes with one value. */
const SINGLE = ['username', 'externalid', 'active']
/** By what a path can choose an address. */
const CHOOSING = ['type', 'primary']

const externalIdProblems = problemFinder(ScimExternalId)

export function requireExternalId(value: unknown): string | null {
  const text = textOf(value, 'externalId')
  if (text === undefined || text === '') return null
  const [problem] = externalIdProblems(text)
  if (problem) throw wrongValue('externalId', problem.message)
  return text
}

/** What the changes say together; a later one wins. Unknown attributes are ignored. */
export function userAttributesOf(changes: readonly Change[]): UserAttributes {
  const said: UserAttributes = {}
  for (const change of changes) Object.assign(said, attributesIn(change))
  return said
}

function attributesIn(change: Change): UserAttributes {
  const { kind, path, isNamed, value } = change
  const { attribute } = path
  const isRemoved = kind === 'remove'
  if (attribute === undefined) return {}
  if (READ_ONLY.includes(attribute)) {
    if (isNamed) throw immutable(attribute, isRemoved ? 'removed' : 'changed')
    return {}
  }
  if (!hasPart(attribute, path)) return refusePart(change)
  if (attribute === 'name') return nameIn(path, isRemoved ? null : value)
  if (attribute === 'externalid') return { externalId: isRemoved ? null : requireExternalId(value) }
  if (attribute === 'emails') return isRemoved ? {} : emailIn(path, value)
  if (attribute === 'active') {
    if (isRemoved) throw immutable('active', 'removed')
    return value === null || value === undefined ? {} : { active: booleanOf(value, 'active') }
  }
  if (attribute !== 'username') return {}
  if (isRemoved) throw immutable('userName', 'removed')
  return { userName: requireAddress(value, 'userName') }
}

/** Whether an attribute can have the part that its path names. */
function hasPart(attribute: string, path: AttributePath): boolean {
  const { element } = path
  if (SINGLE.includes(attribute)) return isWhole(path)
  if (attribute === 'name') return element === undefined
  return attribute !== 'emails' || element === undefined || CHOOSING.includes(element.attribute)
}

function requireAddress(value: unknown, attribute: string): string {
  const address = textOf(value, attribute)
  if (address === undefined) throw wrongValue(attribute, 'is required')
  return address
}

function nameIn({ sub }: AttributePath, value: unknown): UserAttributes {
  if (sub === 'givenname') return { givenName: textOf(value, 'name.givenName') ?? null }
  if (sub === 'familyname') return { familyName: textOf(value, 'name.familyName') ?? null }
  if (sub !== undefined) return {}
  if (value === null || value === undefined) return { givenName: null, familyName: null }
  if (!isObject(value)) throw wrongValue('name', 'must be an object')
  const parts = attributesOf(value)
  return {
    ...(parts.has('givenname') ? { givenName: textOf(parts.get('givenname'), 'name.givenName') ?? null } : {}),
    ...(parts.has('familyname') ? { familyName: textOf(parts.get('familyname'), 'name.familyName') ?? null } : {}),
  }
}

/** A user has one address, of work. Other addresses are ignored. */
function emailIn({ element, sub }: AttributePath, value: unknown): UserAttributes {
  if (element && !isOwn(element.attribute, element.value)) return {}
  if (sub !== undefined && sub !== 'value') return {}
  if (value === null || value === undefined) return {}
  if (sub === 'value') return { email: requireAddress(value, 'emails.value') }
  const elements = elementsOf(value, 'emails')
  const chosen = elements.find((each) => each.get('primary') === true) ?? elements.find(isOfWork) ?? elements[0]
  const address = textOf(chosen?.get('value'), 'emails.value')
  return address === undefined ? {} : { email: address }
}

const isOwn = (attribute: string, value: unknown) =>
  (attribute === 'type' && typeof value === 'string' && value.toLowerCase() === 'work') ||
  (attribute === 'primary' && value === true)

const isOfWork = (element: Attributes) => isOwn('type', element.get('type'))
