import { Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { Line, LineOrEmpty, pathParam, Text } from '../shapes.ts'

const tag = defineTag('SCIM', 'Users and groups for the provisioning of an identity provider (RFC 7643 and 7644).')

/** Resources of a list at most, and by default. */
export const MAX_SCIM_COUNT = 100
/** Operations of a PATCH. */
export const MAX_SCIM_OPERATIONS = 100
/** Members that a request names. */
export const MAX_SCIM_MEMBERS = 1000
/** Members in a response. */
export const MAX_SCIM_SHOWN_MEMBERS = 10_000
const MAX_SCIM_FILTER_CHARACTERS = 1000
export const MAX_SCIM_PATH_CHARACTERS = 500

/** The id of a user or a group at the provider. */
export const ScimExternalId = Line(256, { description: 'Id at the identity provider.', examples: ['00u1a2b3c4'] })

/** A resource or a PATCH. Names of attributes have any case and unknown ones are ignored, so the feature reads it. */
const Attributes = Type.Record(Type.String(), Type.Unknown(), { description: 'Attributes of SCIM.' })

const names = (description: string) => Type.Optional(LineOrEmpty(1000, { description, examples: ['members'] }))
const projection = {
  attributes: names('Attributes to return, separated by commas.'),
  excludedAttributes: names('Attributes to leave out, separated by commas.'),
}

const list = (attributes: string) =>
  Type.Object({
    filter: Type.Optional(
      Text(MAX_SCIM_FILTER_CHARACTERS, {
        description: `\`eq\` with one of ${attributes}.`,
        examples: ['externalId eq "00u1a2b3c4"'],
      }),
    ),
    startIndex: Type.Integer({ default: 1, description: 'Number of the first resource, from 1.', examples: [1] }),
    count: Type.Integer({ default: MAX_SCIM_COUNT, description: 'Resources to return at most.', examples: [100] }),
    ...projection,
  })

const users = { tag, access: 'user:manage', scim: true } as const
const groups = { tag, access: 'role:manage', scim: true } as const
const userId = pathParam('id', 'Id of the user.', 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')
const groupId = pathParam('id', 'Id of the role.', 'role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')

export const listScimUsers = defineOperation({
  ...users,
  id: 'listScimUsers',
  method: 'GET',
  path: '/scim/v2/Users',
  summary: 'List users by SCIM',
  query: list('userName and externalId'),
})

export const getScimUser = defineOperation({
  ...users,
  id: 'getScimUser',
  method: 'GET',
  path: '/scim/v2/Users/{id}',
  summary: 'Get a user by SCIM',
  params: userId,
  query: Type.Object(projection),
  etag: true,
})

export const createScimUser = defineOperation({
  ...users,
  id: 'createScimUser',
  method: 'POST',
  path: '/scim/v2/Users',
  summary: 'Create a user by SCIM',
  body: Attributes,
  status: 201,
  etag: true,
  audit: { procedure: 'user.create', request: ['userId', 'roleIds'] },
  changesAuthority: true,
})

const changedUser = {
  ...users,
  path: '/scim/v2/Users/{id}',
  params: userId,
  body: Attributes,
  etag: true,
  ifMatch: true,
  audit: { procedure: 'user.provision', request: ['id', 'fields'] },
  changesAuthority: true,
} as const

export const replaceScimUser = defineOperation({
  ...changedUser,
  id: 'replaceScimUser',
  method: 'PUT',
  summary: 'Replace a user by SCIM',
})

export const patchScimUser = defineOperation({
  ...changedUser,
  id: 'patchScimUser',
  method: 'PATCH',
  summary: 'Change a user by SCIM',
})

export const deleteScimUser = defineOperation({
  ...users,
  id: 'deleteScimUser',
  method: 'DELETE',
  path: '/scim/v2/Users/{id}',
  summary: 'Deactivate a user by SCIM',
  params: userId,
  status: 204,
  ifMatch: true,
  audit: { procedure: 'user.deactivate', request: ['id'] },
  changesAuthority: true,
})

export const listScimGroups = defineOperation({
  ...groups,
  id: 'listScimGroups',
  method: 'GET',
  path: '/scim/v2/Groups',
  summary: 'List roles by SCIM',
  query: list('displayName and externalId'),
})

export const getScimGroup = defineOperation({
  ...groups,
  id: 'getScimGroup',
  method: 'GET',
  path: '/scim/v2/Groups/{id}',
  summary: 'Get a role by SCIM',
  params: groupId,
  query: Type.Object(projection),
  etag: true,
})

export const createScimGroup = defineOperation({
  ...groups,
  id: 'createScimGroup',
  method: 'POST',
  path: '/scim/v2/Groups',
  summary: 'Create a role without permissions by SCIM',
  body: Attributes,
  status: 201,
  etag: true,
  audit: { procedure: 'role.create', request: ['roleId', 'name', 'grantedUserIds'] },
  changesAuthority: true,
})

const changedGroup = {
  ...groups,
  path: '/scim/v2/Groups/{id}',
  params: groupId,
  body: Attributes,
  ifMatch: true,
  audit: { procedure: 'role.provision', request: ['id', 'fields', 'grantedUserIds', 'withdrawnUserIds'] },
  changesAuthority: true,
} as const

export const replaceScimGroup = defineOperation({
  ...changedGroup,
  id: 'replaceScimGroup',
  method: 'PUT',
  summary: 'Replace the name and the members of a role by SCIM',
  etag: true,
})

export const patchScimGroup = defineOperation({
  ...changedGroup,
  id: 'patchScimGroup',
  method: 'PATCH',
  summary: 'Change the name and the members of a role by SCIM',
  status: 204,
})

export const deleteScimGroup = defineOperation({
  ...groups,
  id: 'deleteScimGroup',
  method: 'DELETE',
  path: '/scim/v2/Groups/{id}',
  summary: 'Delete a role by SCIM',
  params: groupId,
  status: 204,
  ifMatch: true,
  audit: { procedure: 'role.delete', request: ['id'] },
  changesAuthority: true,
})

const described = { tag, method: 'GET', access: ['user:manage', 'role:manage'], scim: true } as const

export const getScimServiceProviderConfig = defineOperation({
  ...described,
  id: 'getScimServiceProviderConfig',
  path: '/scim/v2/ServiceProviderConfig',
  summary: 'Get what this service supports of SCIM',
})

export const listScimResourceTypes = defineOperation({
  ...described,
  id: 'listScimResourceTypes',
  path: '/scim/v2/ResourceTypes',
  summary: 'List the types of resources of SCIM',
})

export const getScimResourceType = defineOperation({
  ...described,
  id: 'getScimResourceType',
  path: '/scim/v2/ResourceTypes/{id}',
  summary: 'Get a type of resources of SCIM',
  params: pathParam('id', 'Name of the type.', 'User'),
})

export const listScimSchemas = defineOperation({
  ...described,
  id: 'listScimSchemas',
  path: '/scim/v2/Schemas',
  summary: 'List the schemas of SCIM',
})
