import { type Static, Type } from '@sinclair/typebox'
import { ORG_ROLES } from '../../permissions.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, ItemsOf, Line, OneOf, pathParam, Text } from '../shapes.ts'
import { NewPerson } from './users.ts'

const tag = defineTag('Organizations', 'The companies that take part.')
const flows = defineTag(
  'Organization administration (beyond the specification)',
  'What the operator of the platform does with organizations.',
)

const EXAMPLE_ID = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const ENGAGEMENTS = ['DIRECT', 'DISTRIBUTOR'] as const

const name = Line(200, { description: 'What the organization is called.', examples: ['Skagen Pumps'] })
const roles = Type.Array(OneOf(ORG_ROLES, { description: 'A role on the marketplace.', examples: ['IP_OWNER'] }), {
  maxItems: 20,
  description: 'In which roles the organization takes part; repeated ones are merged.',
  examples: [['IP_OWNER']],
})
const regionCode = Text(2, {
  minLength: 2,
  pattern: '^[A-Z]{2}$',
  description: 'Where it is at home: an ISO 3166-1 alpha-2 code.',
  examples: ['DK'],
})
const website = Text(2048, {
  minLength: 1,
  pattern: '^https?://[^\\s\\u0000-\\u001f\\u007f]+$',
  description: 'Address of its website.',
  examples: ['https://skagen-pumps.example.com'],
})
const engagement = OneOf(ENGAGEMENTS, {
  description: 'Directly engaged, or through a distributor, which is then named.',
  examples: ['DIRECT'],
})
const distributor = {
  minLength: 1,
  maxLength: 64,
  description: 'Organization with the role DISTRIBUTOR through which it is engaged.',
  examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
}

export const Org = closed(
  {
    id: Type.String({ description: 'Id of the organization.', examples: [EXAMPLE_ID] }),
    name: Type.String({ description: 'What the organization is called.', examples: ['Skagen Pumps'] }),
    roles: Type.Array(OneOf(ORG_ROLES, { description: 'A role on the marketplace.', examples: ['IP_OWNER'] }), {
      description: 'In which roles it takes part.',
      examples: [['IP_OWNER']],
    }),
    regionCode: Type.String({ description: 'Where it is at home.', examples: ['DK'] }),
    website: Type.Optional(
      Type.String({ description: 'Address of its website.', examples: ['https://skagen-pumps.example.com'] }),
    ),
    engagement: Type.Optional(OneOf(ENGAGEMENTS, { description: 'How it is engaged.', examples: ['DIRECT'] })),
    distributorOrgId: Type.Optional(
      Type.String({ description: 'Its distributor.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'] }),
    ),
  },
  {
    description:
      '`engagement` and `distributorOrgId` are shown to its own users, those of its distributor and the operator.',
  },
)
export type Org = Static<typeof Org>

export const CreateOrgRequest = closed({
  name,
  roles,
  regionCode,
  website: Type.Optional(website),
  engagement: Type.Optional(engagement),
  distributorOrgId: Type.Optional(Type.String(distributor)),
  administrator: NewPerson,
})
export type CreateOrgRequest = Static<typeof CreateOrgRequest>

export const CreatedOrg = closed({
  ...Org.properties,
  administratorId: Type.String({
    description: 'Id of its first administrator.',
    examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
  activationUrl: Type.String({
    description: 'Link with which the administrator chooses a password, once, within 72 hours. Pass it on.',
    examples: ['https://marketplace.example.com/activate#mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
  }),
})

export const PatchOrgRequest = closed({
  name: Type.Optional(name),
  roles: Type.Optional(roles),
  regionCode: Type.Optional(regionCode),
  website: Type.Optional(
    Type.Union([website, Type.Null()], {
      description: 'Address of its website; null clears it.',
      examples: ['https://skagen-pumps.example.com'],
    }),
  ),
  engagement: Type.Optional(engagement),
  distributorOrgId: Type.Optional(
    Type.Union([Type.String(distributor), Type.Null()], {
      description: 'Its distributor; null for none.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
    }),
  ),
})
export type PatchOrgRequest = Static<typeof PatchOrgRequest>

const orgId = pathParam('id', 'Id of the organization.', EXAMPLE_ID)

export const getOrg = defineOperation({
  id: 'getOrg',
  method: 'GET',
  path: '/v1/orgs/{id}',
  tag,
  summary: 'Get an organization',
  description: 'Any organization, in its public shape.',
  access: 'token',
  params: orgId,
  response: Org,
  etag: true,
})

export const batchGetOrgs = defineOperation({
  id: 'batchGetOrgs',
  method: 'POST',
  path: '/v1/orgs:batch-get',
  tag,
  summary: 'Get organizations by id',
  access: 'token',
  body: BatchOf('ids', [EXAMPLE_ID]),
  response: ItemsOf(Org),
})

export const createOrg = defineOperation({
  id: 'createOrg',
  method: 'POST',
  path: '/flows/v1/orgs',
  tag: flows,
  summary: 'Create an organization',
  description: `With its system roles and its first administrator.`,
  access: 'platform:operate',
  body: CreateOrgRequest,
  status: 201,
  response: CreatedOrg,
  idempotent: true,
  refusals: ['email_taken'],
  audit: {
    procedure: 'org.create',
    request: ['orgId', 'name', 'roles', 'regionCode', 'website', 'engagement', 'distributorOrgId'],
  },
  closedToImpersonation: true,
  noStore: true,
})

export const patchOrg = defineOperation({
  id: 'patchOrg',
  method: 'PATCH',
  path: '/flows/v1/orgs/{id}',
  tag: flows,
  summary: 'Change an organization',
  description: `With other roles its system roles change, and keys that no longer count leave its own ones. A distributor of others stays one.`,
  access: 'platform:operate',
  params: orgId,
  body: PatchOrgRequest,
  response: Org,
  ifMatch: true,
  refusals: ['in_use'],
  audit: {
    procedure: 'org.patch',
    request: ['id', 'name', 'roles', 'regionCode', 'website', 'engagement', 'distributorOrgId'],
  },
})
