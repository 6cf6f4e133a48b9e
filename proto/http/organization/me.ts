import { Type } from '@sinclair/typebox'
import { PERMISSIONS } from '../../permissions.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, OneOf } from '../shapes.ts'
import { Org } from './orgs.ts'
import { User } from './users.ts'

const tag = defineTag('Caller', "The caller's identity and permissions.")

export const Impersonation = closed(
  {
    grantId: Type.String({
      description: 'The impersonation grant.',
      examples: ['grant_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    actingEmail: Type.String({ description: 'Who acts as the user.', examples: ['support@example.com'] }),
    reason: Type.String({ description: 'Why.', examples: ['Ticket 4711: the buyer cannot find an offer'] }),
    expireTime: DateTime('When the grant ends.'),
  },
  { description: 'Present under an impersonation grant.' },
)

export const Me = closed(
  {
    user: User,
    serviceAccount: Type.Boolean({ description: 'Whether the user is a service account.', examples: [false] }),
    organization: Org,
    permissions: Type.Array(OneOf(PERMISSIONS, { description: 'A permission.', examples: ['part:create'] }), {
      description: 'The permissions in effect: those of the roles of the user that apply to the organization.',
      examples: [['part:create', 'part:update']],
    }),
    impersonation: Type.Optional(Impersonation),
  },
  { description: 'The caller.' },
)

export const getMe = defineOperation({
  id: 'getMe',
  method: 'GET',
  path: '/flows/v1/me',
  tag,
  summary: 'Get the caller',
  description: 'The user of the token, with its organization and the permissions in effect.',
  access: 'token',
  response: Me,
  etag: true,
})
