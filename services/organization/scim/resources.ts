import { entityTag, JsonText } from '../../kit/db/json-text.ts'
import type { GroupRow, MemberRow, UserRow } from './queries.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

export const baseUrlOf = (publicUrl: string) => `${publicUrl}/scim/v2`

export interface Resource {
  schemas: readonly string[]
  id: string
  meta: { version: string } & Record<string, unknown>
  [attribute: string]: unknown
}

/** The version covers every attribute of the resource, so it changes whenever one does. */
const versionOf = (content: unknown) => entityTag(JSON.stringify(content))

export function userResource(row: UserRow, publicUrl: string): Resource {
  const { id, external_id: externalId, email, given_name: givenName, family_name: familyName, active } = row
  const formatted = `${givenName} ${familyName}`
  return {
    schemas: [USER_SCHEMA],
    id,
    ...(externalId === null ? {} : { externalId }),
    userName: email,
    name: { formatted, givenName, familyName },
    displayName: formatted,
    emails: [{ value: email, type: 'work', primary: true }],
    active,
    meta: {
      resourceType: 'User',
      created: row.created_at,
      lastModified: row.updated_at,
      location: `${baseUrlOf(publicUrl)}/Users/${id}`,
      version: userVersion(row),
    },
  }
}

export const userVersion = (row: UserRow) => versionOf(row)

/** `members`: undefined where they were not asked for. */
export function groupResource(row: GroupRow, members: readonly MemberRow[] | undefined, publicUrl: string): Resource {
  const { id, external_id: externalId, name } = row
  const base = baseUrlOf(publicUrl)
  return {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId === null ? {} : { externalId }),
    displayName: name,
    ...(members ? { members: members.map((member) => memberOf(member, base)) } : {}),
    meta: {
      resourceType: 'Group',
      created: row.created_at,
      location: `${base}/Groups/${id}`,
      version: groupVersion(row),
    },
  }
}

export const groupVersion = ({ id, external_id, name, members_digest }: GroupRow) =>
  versionOf({ id, external_id, name, members_digest })

const memberOf = ({ id, name }: MemberRow, base: string) => ({
  value: id,
  $ref: `${base}/Users/${id}`,
  display: name,
  type: 'User',
})

interface Projection {
  attributes?: string | undefined
  excludedAttributes?: string | undefined
}

/** The attributes of a list, without sub-attributes and the prefix of the schema. */
const namesIn = (list: string) =>
  new Set(
    list
      .toLowerCase()
      .split(',')
      .map(
        (name) =>
          name
            .slice(name.lastIndexOf(':') + 1)
            .trim()
            .split('.', 1)[0],
      ),
  )

/** Which attributes a response has. `schemas` and `id` are always returned. */
export function returnedBy({ attributes, excludedAttributes }: Projection): (name: string) => boolean {
  const [asked, excluded] = [attributes, excludedAttributes].map((list) =>
    list === undefined ? undefined : namesIn(list),
  )
  return (name) => {
    if (name === 'schemas' || name === 'id') return true
    return asked ? asked.has(name.toLowerCase()) : !excluded?.has(name.toLowerCase())
  }
}

const textOf = (resource: object, isReturned: (name: string) => boolean) =>
  JSON.stringify(Object.fromEntries(Object.entries(resource).filter(([name]) => isReturned(name))))

/** The resource with the attributes that were asked for, and its version as the entity tag. */
export const projected = (resource: Resource, projection: Projection): JsonText =>
  new JsonText(textOf(resource, returnedBy(projection)), resource.meta.version)

export const resourceText = (resource: Resource): JsonText => projected(resource, {})

/** A page of resources, or all of them. `startIndex` counts from 1. */
export function listOf(
  resources: readonly object[],
  totalResults = resources.length,
  startIndex = 1,
  projection: Projection = {},
) {
  const isReturned = returnedBy(projection)
  const items = resources.map((resource) => textOf(resource, isReturned))
  const about = { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: resources.length }
  return new JsonText(`${JSON.stringify(about).slice(0, -1)},"Resources":[${items.join(',')}]}`)
}
