import { type Static, Type } from '@sinclair/typebox'
import { ORG_ROLES } from '../../permissions.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, FORM, ItemsOf, Line, NOT_IN_A_LINE, OneOf, pathParam, Text } from '../shapes.ts'
import { activationUrl, mail, PersonInput } from './users.ts'

const tag = defineTag('Organizations', 'Companies on the marketplace.')
const flows = defineTag('Organization administration', 'Management of organizations by the platform operator.')

const EXAMPLE_ID = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const ENGAGEMENTS = ['DIRECT', 'DISTRIBUTOR'] as const

export const name = Line(200, { description: 'Name of the organization.', examples: ['Skagen Pumps'] })
export const roles = Type.Array(OneOf(ORG_ROLES, { description: 'A marketplace role.', examples: ['IP_OWNER'] }), {
  maxItems: 20,
  description: 'Marketplace roles of the organization; duplicates are removed.',
  examples: [['IP_OWNER']],
})
export const regionCode = Text(2, {
  minLength: 2,
  pattern: '^[A-Z]{2}$',
  [FORM]: 'two capital letters, such as DK',
  description: 'Country of the organization: an ISO 3166-1 alpha-2 code.',
  examples: ['DK'],
})
export const website = Text(2048, {
  minLength: 1,
  pattern: `^https?://[^\\s${NOT_IN_A_LINE}]+$`,
  [FORM]: 'an http or https URL without spaces, control or bidirectional characters',
  description: 'URL of the website.',
  examples: ['https://skagen-pumps.example.com'],
})
const engagement = OneOf(ENGAGEMENTS, {
  description: 'DIRECT, or DISTRIBUTOR with a `distributorOrgId`.',
  examples: ['DIRECT'],
})
const distributor = {
  minLength: 1,
  maxLength: 64,
  description: 'Organization with the role DISTRIBUTOR through which this one is engaged.',
  examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
}

export const Org = closed(
  {
    id: Type.String({ description: 'Id of the organization.', examples: [EXAMPLE_ID] }),
    name: Type.String({ description: 'Name of the organization.', examples: ['Skagen Pumps'] }),
    roles: Type.Array(OneOf(ORG_ROLES, { description: 'A marketplace role.', examples: ['IP_OWNER'] }), {
      description: 'Marketplace roles of the organization.',
      examples: [['IP_OWNER']],
    }),
    regionCode: Type.String({
      description: 'Country of the organization: an ISO 3166-1 alpha-2 code.',
      examples: ['DK'],
    }),
    website: Type.Optional(
      Type.String({ description: 'URL of the website.', examples: ['https://skagen-pumps.example.com'] }),
    ),
    engagement: Type.Optional(
      OneOf(ENGAGEMENTS, { description: 'Direct, or through a distributor.', examples: ['DIRECT'] }),
    ),
    distributorOrgId: Type.Optional(
      Type.String({ description: 'Distributor of the organization.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'] }),
    ),
  },
  {
    description:
      '`engagement` and `distributorOrgId` are visible to the organization, its distributor and the operator.',
  },
)
export type Org = Static<typeof Org>

export const OrgInput = closed({
  name,
  roles,
  regionCode,
  website: Type.Optional(website),
  engagement: Type.Optional(engagement),
  distributorOrgId: Type.Optional(Type.String(distributor)),
  administrator: PersonInput,
  mail: Type.Optional(mail),
})
export type OrgInput = Static<typeof OrgInput>

export const CreatedOrg = closed({
  ...Org.properties,
  administratorId: Type.String({
    description: 'Id of the first administrator.',
    examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
  activationUrl: Type.Optional(activationUrl),
})
export type CreatedOrg = Static<typeof CreatedOrg>

export const OrgPatch = closed({
  name: Type.Optional(name),
  roles: Type.Optional(roles),
  regionCode: Type.Optional(regionCode),
  website: Type.Optional(
    Type.Union([website, Type.Null()], {
      description: 'URL of the website; null removes it.',
      examples: ['https://skagen-pumps.example.com'],
    }),
  ),
  engagement: Type.Optional(engagement),
  distributorOrgId: Type.Optional(
    Type.Union([Type.String(distributor), Type.Null()], {
      description: 'Distributor of the organization; null removes it.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
    }),
  ),
})

const orgId = pathParam('id', 'Id of the organization.', EXAMPLE_ID)

export const getOrg = defineOperation({
  id: 'getOrg',
  method: 'GET',
  path: '/v1/orgs/{id}',
  tag,
  summary: 'Get an organization',
  description: 'Returns any organization.',
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
  description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
  access: 'token',
  body: BatchOf('ids', [EXAMPLE_ID]),
  response: ItemsOf(Org),
})

export const listEngagedOrgs = defineOperation({
  ...listOf(Org),
  id: 'listEngagedOrgs',
  path: '/flows/v1/orgs',
  tag: flows,
  summary: 'List the organizations that are engaged through yours',
  description: 'For a distributor: the organizations to which it may release factories, newest first.',
  access: 'factory:release',
})

export const createOrg = defineOperation({
  id: 'createOrg',
  method: 'POST',
  path: '/flows/v1/orgs',
  tag: flows,
  summary: 'Create an organization',
  description:
    'Creates the organization with its system roles and its first administrator. `distributorOrgId` engages it through a distributor, otherwise it is engaged directly.',
  access: 'platform:operate',
  body: OrgInput,
  status: 201,
  response: CreatedOrg,
  refusals: ['email_taken', 'limit_reached', 'mail_unavailable'],
  audit: {
    procedure: 'org.create',
    request: ['orgId', 'name', 'roles', 'regionCode', 'website', 'engagement', 'distributorOrgId', 'mail'],
  },
  changesAuthority: true,
  noStore: true,
})

export const patchOrg = defineOperation({
  id: 'patchOrg',
  method: 'PATCH',
  path: '/flows/v1/orgs/{id}',
  tag: flows,
  summary: 'Change an organization',
  description:
    'A change of `roles` changes the system roles and removes inapplicable permissions from custom roles. DISTRIBUTOR cannot be removed while organizations are engaged through this one.',
  access: 'platform:operate',
  params: orgId,
  body: OrgPatch,
  response: Org,
  ifMatch: true,
  refusals: ['in_use'],
  audit: {
    procedure: 'org.patch',
    request: ['id', 'name', 'roles', 'regionCode', 'website', 'engagement', 'distributorOrgId'],
  },
  changesAuthority: true,
})
