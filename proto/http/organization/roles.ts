import { type Static, Type } from '@sinclair/typebox'
import { PERMISSIONS } from '../../permissions.ts'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Id, Ids, Line, OneOf, PageOf, pageQuery, pathParam, Search } from '../shapes.ts'

const tag = defineTag('Roles', 'Named sets of permissions, which users hold.')
const flows = defineTag('Role administration', 'Custom roles and their assignment to users.')

const EXAMPLE_ID = 'role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Maximum number of custom roles of an organization. */
export const MAX_CUSTOM_ROLES = 1000

const name = Line(100, {
  description: 'Name of the role, unique in the organization.',
  examples: ['Drawing office'],
})

const permissions = Type.Array(OneOf(PERMISSIONS, { description: 'A permission.', examples: ['webhook:manage'] }), {
  maxItems: 100,
  description: 'Permissions that apply to your organization and that you hold; duplicates are removed.',
  examples: [['webhook:manage']],
})

/** The roles of a new user. */
export const roleIds = Ids('a role', EXAMPLE_ID, {
  maxItems: 100,
  description: 'Roles of your organization to grant. You must hold every permission in them.',
})

export const Role = closed({
  id: Type.String({ description: 'Id of the role.', examples: [EXAMPLE_ID] }),
  name: Type.String({ description: 'Name of the role.', examples: ['Drawing office'] }),
  permissions: Type.Array(Type.String({ description: 'A permission.', examples: ['part:create'] }), {
    description: 'Permissions of the role.',
    examples: [['part:create', 'part:update']],
  }),
  system: Type.Boolean({ description: 'Whether it is a system role, which cannot be changed.', examples: [false] }),
})
export type Role = Static<typeof Role>

export const RoleInput = closed({ name, permissions })

export const RolePatch = Type.Partial(RoleInput)

export const RoleGrant = closed({
  userId: Id('A user of your organization.', 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
})

const roleId = pathParam('id', 'Id of the role.', EXAMPLE_ID)

export const listRoles = defineOperation({
  id: 'listRoles',
  method: 'GET',
  path: '/v1/roles',
  tag,
  summary: 'List roles',
  description: 'The roles of your organization, ordered by name. `userId` of another user needs `org:admin`.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(Search('Case-insensitive substring of the name.', 'draw')),
    userId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Only roles that this user holds.',
        examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
    permission: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Only roles with this permission; an unknown permission returns none.',
        examples: ['part:create'],
      }),
    ),
  }),
  response: PageOf(Role),
  refusals: ['forbidden'],
})

export const getRole = defineOperation({
  id: 'getRole',
  method: 'GET',
  path: '/v1/roles/{id}',
  tag,
  summary: 'Get a role',
  description: 'A role of your organization. Roles of other organizations are not found.',
  access: 'token',
  params: roleId,
  response: Role,
  etag: true,
})

const crud = crudOf({
  name: 'role',
  path: '/flows/v1/roles',
  tag: flows,
  access: { read: 'token', write: 'role:manage' },
  params: roleId,
  input: RoleInput,
  patch: RolePatch,
  response: Role,
  idName: 'roleId',
})

export const createRole = defineOperation({
  ...crud.create,
  summary: 'Create a role',
  description: `At most ${MAX_CUSTOM_ROLES} custom roles per organization.`,
  refusals: ['conflict', 'limit_reached'],
  changesAuthority: true,
})

export const patchRole = defineOperation({
  ...crud.patch,
  summary: 'Change a role',
  description:
    'Takes effect in every service within a second. You must hold every permission of the role before and after the change. System roles cannot be changed. 409 while a live key of a service account with the role was created by a user who lacks an added permission.',
  refusals: ['conflict', 'last_administrator'],
  changesAuthority: true,
})

export const deleteRole = defineOperation({
  ...crud.delete,
  summary: 'Delete a role',
  description: 'Refused for a system role and for a role that a user holds.',
  refusals: ['conflict', 'in_use'],
  changesAuthority: true,
})

export const grantRole = defineOperation({
  id: 'grantRole',
  method: 'POST',
  path: '/flows/v1/roles/{id}/grant',
  tag: flows,
  summary: 'Grant a role to a user',
  description:
    'You must hold every permission of the role. 409 while a live key of the service account was created by a user who lacks one of them, because its creator knows the secret.',
  access: 'role:manage',
  params: roleId,
  body: RoleGrant,
  response: Role,
  refusals: ['conflict'],
  audit: { procedure: 'role.grant', request: ['id', 'userId'] },
  changesAuthority: true,
})

export const withdrawRole = defineOperation({
  id: 'withdrawRole',
  method: 'POST',
  path: '/flows/v1/roles/{id}/withdraw',
  tag: flows,
  summary: 'Withdraw a role from a user',
  description:
    'Takes effect in every service within a second. You must hold every permission of the role. The last administrator cannot lose it.',
  access: 'role:manage',
  params: roleId,
  body: RoleGrant,
  response: Role,
  refusals: ['conflict', 'last_administrator'],
  audit: { procedure: 'role.withdraw', request: ['id', 'userId'] },
  changesAuthority: true,
})
