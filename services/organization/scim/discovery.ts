import { MAX_SCIM_COUNT } from '../../../proto/http/organization/scim.ts'
import { baseUrlOf, GROUP_SCHEMA, USER_SCHEMA } from './resources.ts'

const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

/** What this service supports (RFC 7643, section 5). */
export const serviceProviderConfig = (publicUrl: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  documentationUri: `${publicUrl}/docs/guides/provisioning`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_SCIM_COUNT },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Token of a service account',
      description: 'OAuth 2 (RFC 6749) with the grant client_credentials at /flows/v1/oauth/token.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrlOf(publicUrl)}/ServiceProviderConfig` },
})

const TYPES = [
  { name: 'User', description: 'People of your organization in its proved domains.', schema: USER_SCHEMA },
  { name: 'Group', description: 'Roles of your organization.', schema: GROUP_SCHEMA },
] as const

/** The types of resources (RFC 7643, section 6). */
export const resourceTypes = (publicUrl: string) =>
  TYPES.map(({ name, description, schema }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    description,
    endpoint: `/${name}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: `${baseUrlOf(publicUrl)}/ResourceTypes/${name}` },
  }))

interface AttributeOptions {
  type?: 'string' | 'boolean' | 'complex' | 'reference'
  mutability?: 'readWrite' | 'readOnly' | 'immutable'
  uniqueness?: 'none' | 'server'
  multiValued?: boolean
  required?: boolean
  caseExact?: boolean
  subAttributes?: readonly object[]
  referenceTypes?: readonly string[]
}

const attribute = (name: string, description: string, options: AttributeOptions = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
})

const externalId = attribute('externalId', 'Id at the identity provider, unique in your organization.', {
  caseExact: true,
})

const USER_ATTRIBUTES = [
  attribute('userName', 'E-mail address in a proved domain, with which the person signs in.', {
    required: true,
    uniqueness: 'server',
  }),
  externalId,
  attribute('name', 'Name of the person.', {
    type: 'complex',
    subAttributes: [
      attribute('formatted', 'Given and family name.', { mutability: 'readOnly' }),
      attribute('givenName', 'Given name.'),
      attribute('familyName', 'Family name.'),
    ],
  }),
  attribute('displayName', 'Given and family name.', { mutability: 'readOnly' }),
  attribute('emails', 'The address of `userName`.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'The address.'),
      attribute('type', 'Always work.', { mutability: 'readOnly' }),
      attribute('primary', 'Always true.', { type: 'boolean', mutability: 'readOnly' }),
    ],
  }),
  attribute('active', 'Whether the person can sign in.', { type: 'boolean' }),
]

const GROUP_ATTRIBUTES = [
  attribute('displayName', 'Name of the role, unique in your organization.', { required: true, uniqueness: 'server' }),
  externalId,
  attribute('members', 'People who hold the role.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user.', { mutability: 'immutable', caseExact: true }),
      attribute('$ref', 'Address of the user.', {
        type: 'reference',
        mutability: 'readOnly',
        referenceTypes: ['User'],
        caseExact: true,
      }),
      attribute('display', 'Name of the user.', { mutability: 'readOnly' }),
      attribute('type', 'Always User.', { mutability: 'readOnly' }),
    ],
  }),
]

/** The schemas (RFC 7643, section 7). */
export const SCHEMAS = [
  { schemas: [SCHEMA_SCHEMA], id: USER_SCHEMA, name: 'User', description: 'A person.', attributes: USER_ATTRIBUTES },
  { schemas: [SCHEMA_SCHEMA], id: GROUP_SCHEMA, name: 'Group', description: 'A role.', attributes: GROUP_ATTRIBUTES },
] as const
