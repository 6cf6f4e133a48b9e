import { type Static, Type } from '@sinclair/typebox'
import { PERMISSIONS } from '../../permissions.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Line, OneOf, PageOf, pageQuery, pathParam, Search } from '../shapes.ts'

const tag = defineTag('Roles', 'Permission keys under a name, held by users.')
const flows = defineTag('Role administration (beyond the specification)', 'Roles of your own, and who holds which.')

const EXAMPLE_ID = 'role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Roles that an organization may make of its own. */
export const MAX_CUSTOM_ROLES = 1000

const name = Line(100, {
  description: 'What the role is called, unique in the organization.',
  examples: ['Drawing office'],
})

const permissions = Type.Array(OneOf(PERMISSIONS, { description: 'A permission key.', examples: ['webhook:manage'] }), {
  maxItems: 100,
  description:
    'Permission keys, each of which must count in your organization and be your own; repeated ones are merged.',
  examples: [['webhook:manage']],
})

export const Role = closed({
  id: Type.String({ description: 'Id of the role.', examples: [EXAMPLE_ID] }),
  name: Type.String({ description: 'What the role is called.', examples: ['Drawing office'] }),
  permissions: Type.Array(Type.String({ description: 'A permission key.', examples: ['part:create'] }), {
    description: 'The permission keys that it grants.',
    examples: [['part:create', 'part:update']],
  }),
  system: Type.Boolean({ description: 'A system role is there from the first day and fixed.', examples: [false] }),
})
export type Role = Static<typeof Role>

export const CreateRoleRequest = closed({ name, permissions })
export type CreateRoleRequest = Static<typeof CreateRoleRequest>

export const PatchRoleRequest = closed({ name: Type.Optional(name), permissions: Type.Optional(permissions) })
export type PatchRoleRequest = Static<typeof PatchRoleRequest>

export const HolderRequest = closed({
  userId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A user of your organization.',
    examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
})

const roleId = pathParam('id', 'Id of the role.', EXAMPLE_ID)

export const listRoles = defineOperation({
  id: 'listRoles',
  method: 'GET',
  path: '/v1/roles',
  tag,
  summary: 'List roles',
  description: 'Roles of your organization by name. `userId` of somebody else is for administrators.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(Search('Case-insensitive substring of the name.', 'draw')),
    userId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Roles that this user holds.',
        examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
    permission: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Roles with this permission key; an unknown one lists nothing.',
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
  description: 'A role of your organization; those of others are not found.',
  access: 'token',
  params: roleId,
  response: Role,
  etag: true,
})

export const createRole = defineOperation({
  id: 'createRole',
  method: 'POST',
  path: '/flows/v1/roles',
  tag: flows,
  summary: 'Create a role',
  description: `At most ${MAX_CUSTOM_ROLES} roles of an organization's own.`,
  access: 'role:manage',
  body: CreateRoleRequest,
  status: 201,
  response: Role,
  idempotent: true,
  refusals: ['conflict', 'limit_reached'],
  audit: { procedure: 'role.create', request: ['roleId', 'name', 'permissions'] },
  closedToImpersonation: true,
})

export const patchRole = defineOperation({
  id: 'patchRole',
  method: 'PATCH',
  path: '/flows/v1/roles/{id}',
  tag: flows,
  summary: 'Change a role',
  description: `What its holders may do changes within a second, in every service. You must hold every key that it has or gets. System roles are fixed.`,
  access: 'role:manage',
  params: roleId,
  body: PatchRoleRequest,
  response: Role,
  ifMatch: true,
  refusals: ['conflict', 'last_administrator'],
  audit: { procedure: 'role.patch', request: ['id', 'name', 'permissions'] },
  closedToImpersonation: true,
})

export const deleteRole = defineOperation({
  id: 'deleteRole',
  method: 'DELETE',
  path: '/flows/v1/roles/{id}',
  tag: flows,
  summary: 'Delete a role',
  description: `One that nobody holds, and no system role.`,
  access: 'role:manage',
  params: roleId,
  status: 204,
  refusals: ['conflict', 'in_use'],
  audit: { procedure: 'role.delete', request: ['id'] },
  closedToImpersonation: true,
})

export const grantRole = defineOperation({
  id: 'grantRole',
  method: 'POST',
  path: '/flows/v1/roles/{id}/grant',
  tag: flows,
  summary: 'Grant a role to a user',
  description: `You must hold its keys yourself.`,
  access: 'role:manage',
  params: roleId,
  body: HolderRequest,
  response: Role,
  refusals: ['conflict'],
  audit: { procedure: 'role.grant', request: ['id', 'userId'] },
  closedToImpersonation: true,
})

export const withdrawRole = defineOperation({
  id: 'withdrawRole',
  method: 'POST',
  path: '/flows/v1/roles/{id}/withdraw',
  tag: flows,
  summary: 'Withdraw a role from a user',
  description: `Bites within a second, in every service. You must hold its keys yourself; the last administrator stays.`,
  access: 'role:manage',
  params: roleId,
  body: HolderRequest,
  response: Role,
  refusals: ['conflict', 'last_administrator'],
  audit: { procedure: 'role.withdraw', request: ['id', 'userId'] },
  closedToImpersonation: true,
})
