import { RoleInput } from '../../../proto/http/organization/roles.ts'
import { MAX_SCIM_MEMBERS } from '../../../proto/http/organization/scim.ts'
import { PATH_ID } from '../../../proto/http/shapes.ts'
import { problemFinder } from '../../kit/http/body.ts'
import { elementsOf, textOf } from './attributes.ts'
import { type Change, refusePart } from './patches.ts'
import { isWhole } from './paths.ts'
import { immutable, tooManyMembers, wrong, wrongValue } from './problems.ts'
import { requireExternalId } from './user-attributes.ts'

/** What a request says of the members of a group. */
export interface MemberChange {
  /** Whether the former members leave. */
  replaces: boolean
  added: ReadonlySet<string>
  removed: ReadonlySet<string>
}

/** What a request says of a group. An absent attribute is kept. */
export interface GroupAttributes {
  displayName?: string
  externalId?: string | null
  members?: MemberChange
}

const READ_ONLY = ['id', 'meta', 'schemas']
/** Attributes with one value. */
const SINGLE = ['displayname', 'externalid']

const nameProblems = problemFinder(RoleInput.properties.name)

function requireName(value: unknown): string {
  const [problem] = nameProblems(value)
  if (problem) throw wrongValue('displayName', problem.message)
  return value as string
}

/** What the changes say together, in their order. Unknown attributes are ignored. */
export function groupAttributesOf(changes: readonly Change[]): GroupAttributes {
  const said: GroupAttributes = {}
  const members = new Members()
  for (const change of changes) {
    if (change.path.attribute === 'members') members.apply(change)
    else Object.assign(said, attributesIn(change))
  }
  return { ...said, ...(members.isNamed ? { members: members.change } : {}) }
}

function attributesIn(change: Change): GroupAttributes {
  const {
    kind,
    path: { attribute = '' },
    isNamed,
    value,
  } = change
  if (SINGLE.includes(attribute) && !isWhole(change.path)) return refusePart(change)
  const isRemoved = kind === 'remove'
  if (attribute === 'externalid') return { externalId: isRemoved ? null : requireExternalId(value) }
  if (attribute === 'displayname') {
    if (isRemoved) throw immutable('displayName', 'removed')
    return { displayName: requireName(value) }
  }
  if (READ_ONLY.includes(attribute) && isNamed) throw immutable(attribute, isRemoved ? 'removed' : 'changed')
  return {}
}

/** The members after each operation, as far as the request names them. */
class Members {
  isNamed = false
  #replaces = false
  readonly #added = new Set<string>()
  readonly #removed = new Set<string>()
  #named = 0

  get change(): MemberChange {
    return { replaces: this.#replaces, added: this.#added, removed: this.#removed }
  }

  apply({ kind, path: { element, sub }, value }: Change): void {
    this.isNamed = true
    if (sub !== undefined && sub !== 'value') throw wrong('invalidPath', 'path', 'must be members')
    if (element) {
      this.#applyTo(kind, element)
      return
    }
    // A removal without a value means all members, and one of an empty list none.
    const removesAll = kind === 'remove' && (value === undefined || value === null)
    if (kind === 'replace' || removesAll) this.#clear()
    if (removesAll) return
    for (const id of this.#idsIn(value)) {
      if (kind === 'remove') this.#remove(id)
      else this.#add(id)
    }
  }

  #applyTo(kind: Change['kind'], { attribute, value }: { attribute: string; value: unknown }): void {
    if (attribute !== 'value' || typeof value !== 'string' || kind !== 'remove')
      throw wrong('invalidPath', 'path', 'must be members, or members[value eq "…"] to remove one')
    this.#count(1)
    this.#remove(value)
  }

  #clear(): void {
    this.#replaces = true
    this.#added.clear()
    this.#removed.clear()
  }

  #add(id: string): void {
    this.#removed.delete(id)
    this.#added.add(id)
  }

  #remove(id: string): void {
    this.#added.delete(id)
    this.#removed.add(id)
  }

  #idsIn(value: unknown): string[] {
    if (value === undefined || value === null) return []
    const elements = elementsOf(value, 'members')
    this.#count(elements.length)
    return elements.map((each) => {
      const id = textOf(each.get('value'), 'members.value')
      if (id === undefined) throw wrongValue('members.value', 'is required')
      return id
    })
  }

  #count(members: number): void {
    this.#named += members
    if (this.#named > MAX_SCIM_MEMBERS) throw tooManyMembers()
  }
}

/** Whether a text can be the id of a user. */
export const isId = (text: string) => PATH_ID.test(text)
