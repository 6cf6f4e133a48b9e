import { type Static, Type } from '@sinclair/typebox'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import {
  closed,
  DateTime,
  FORM,
  Id,
  Line,
  NOT_IN_A_LINE,
  OneOf,
  patchOf,
  pathParam,
  Text,
  URL_FORM,
  URL_PATTERN,
} from '../shapes.ts'
import { roleIds } from './roles.ts'

const tag = defineTag(
  'Identity providers',
  'Sign-in of the people of your organization by its own provider (OpenID Connect), such as Entra ID, Okta or Keycloak. A provider signs in the people of domains that you have proved.',
)

/** Maximum number of providers of an organization. */
export const MAX_PROVIDERS = 5
/** Maximum number of domains of a provider. */
const MAX_DOMAINS = 20
/** Maximum number of groups that a provider maps to roles. */
const MAX_GROUPS = 100

const EXAMPLE_ID = 'idp_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ROLE = 'role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_USER = 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const name = Line(100, { description: 'Name of the provider.', examples: ['Entra ID'] })
const issuer = Text(500, {
  pattern: URL_PATTERN,
  [FORM]: URL_FORM,
  description: 'Issuer, exactly as the provider names it in its discovery document. Its address must be public.',
  examples: ['https://login.example.com/realms/skagen'],
})
const clientId = Line(255, { description: 'Client id at the provider.', examples: ['marketplace'] })
const NOT_IN_A_DOMAIN = `\\s@/?#\\\\:%\\[\\]${NOT_IN_A_LINE}`

const domain = Text(253, {
  minLength: 3,
  pattern: `^[^${NOT_IN_A_DOMAIN}]+\\.[^${NOT_IN_A_DOMAIN}]+$`,
  [FORM]: 'a domain',
  description: 'A domain of e-mail addresses.',
  examples: ['skagen-pumps.example.com'],
})
/** One line of at most 200 characters. */
const GROUP_NAME = `^[^${NOT_IN_A_LINE}]{1,200}$`
const group = Id('Id of a role.', EXAMPLE_ROLE)

const GroupRoles = closed(
  {
    claim: Line(100, { description: 'Claim with the names or ids of groups.', examples: ['groups'] }),
    map: Type.Record(Type.String({ pattern: GROUP_NAME }), group, {
      maxProperties: MAX_GROUPS,
      // Names that do not match the pattern are refused.
      additionalProperties: false,
      description: 'Role ids by group, at most 100. You must hold every permission in them.',
      examples: [{ 'Drawing office': EXAMPLE_ROLE }],
    }),
  },
  {
    description:
      'Roles that follow the groups of a person: each sign-in grants those of its groups and withdraws the others of the map.',
    examples: [{ claim: 'groups', map: { 'Drawing office': EXAMPLE_ROLE } }],
  },
)

export const IdentityDomain = closed(
  {
    name: Type.String({ description: 'The domain.', examples: ['skagen-pumps.example.com'] }),
    state: OneOf(['PENDING', 'PROVED', 'LOST'], {
      description:
        'PENDING: not proved yet, and reserves nothing. PROVED: signs people in. LOST: the record was gone at a daily check, and the domain signs in no one until it is proved again.',
      examples: ['PROVED'],
    }),
    recordName: Type.String({
      description: 'Name of the TXT record that proves the domain.',
      examples: ['_marketplace-challenge.skagen-pumps.example.com'],
    }),
    recordValue: Type.String({
      description: 'Value of the record. Keep it: it is checked daily.',
      examples: ['marketplace-domain=mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
    }),
    provedTime: Type.Optional(DateTime('Time of the proof.')),
    checkedTime: Type.Optional(DateTime('Time of the last check.')),
  },
  { description: 'A domain of a provider, with its proof.' },
)
export type IdentityDomain = Static<typeof IdentityDomain>

export const IdentityProvider = closed(
  {
    id: Type.String({ description: 'Id of the provider.', examples: [EXAMPLE_ID] }),
    name: Type.String({ description: 'Name of the provider.', examples: ['Entra ID'] }),
    issuer: Type.String({ description: 'Issuer.', examples: ['https://login.example.com/realms/skagen'] }),
    clientId: Type.String({ description: 'Client id at the provider.', examples: ['marketplace'] }),
    redirectUrl: Type.String({
      description: 'Redirect URI to register at the provider. Each provider has its own.',
      examples: [`https://marketplace.example.com/flows/v1/sso/callback/${EXAMPLE_ID}`],
    }),
    domains: Type.Array(IdentityDomain, { description: 'Domains, by name.' }),
    defaultRoleIds: Type.Array(Type.String({ description: 'Id of a role.', examples: [EXAMPLE_ROLE] }), {
      description: 'Roles of a user who is created at the first sign-in.',
      examples: [[EXAMPLE_ROLE]],
    }),
    groupRoles: Type.Optional(GroupRoles),
    enforce: Type.Boolean({
      description: 'Whether people of its domains can sign in by the provider only.',
      examples: [false],
    }),
    breakGlassUserId: Type.Optional(
      Type.String({
        description: 'Administrator whose password works although the provider is enforced.',
        examples: [EXAMPLE_USER],
      }),
    ),
    test: Type.Optional(
      closed(
        {
          time: DateTime('Time of the test.'),
          succeeded: Type.Boolean({ description: 'Whether the sign-in succeeded.', examples: [true] }),
          email: Type.Optional(
            Type.String({
              description: 'E-mail address that the provider named.',
              examples: ['ada.berg@skagen-pumps.example.com'],
            }),
          ),
          problem: Type.Optional(
            Type.String({
              description: 'Why the test failed.',
              examples: ['The provider did not confirm the e-mail address.'],
            }),
          ),
        },
        { description: 'The last test; absent after a change of issuer, client id or secret.' },
      ),
    ),
    createdTime: DateTime('Time of creation.'),
    updatedTime: DateTime('Time of the last change.'),
  },
  { description: 'A provider of an organization. Its client secret is never shown.' },
)
export type IdentityProvider = Static<typeof IdentityProvider>

export const IdentityProviderInput = closed({
  name,
  issuer,
  clientId,
  clientSecret: Line(1024, {
    description: 'Client secret at the provider, which is stored encrypted.',
    examples: ['wq8~Xk2.fJ4pL7sV0nB3mC6zD9yE1tR5'],
  }),
  domains: Type.Array(domain, {
    minItems: 1,
    maxItems: MAX_DOMAINS,
    description: 'Domains whose people the provider signs in, once they are proved.',
    examples: [['skagen-pumps.example.com']],
  }),
  defaultRoleIds: Type.Optional(roleIds),
  groupRoles: Type.Optional(GroupRoles),
  enforce: Type.Optional(
    Type.Boolean({
      description:
        'Whether people of its domains can sign in by the provider only. Needs a proved domain, a successful test and `breakGlassUserId`.',
      examples: [false],
    }),
  ),
  breakGlassUserId: Type.Optional(
    Id('An active administrator with a password, which works although the provider is enforced.', EXAMPLE_USER),
  ),
})

const path = '/flows/v1/identity-providers'
const id = pathParam('id', 'Id of the provider.', EXAMPLE_ID)
const LOGGED = ['name', 'issuer', 'clientId', 'domains', 'defaultRoleIds', 'groupRoles', 'enforce', 'breakGlassUserId']

const crud = crudOf({
  name: 'identityProvider',
  path,
  tag,
  access: { read: 'org:admin', write: 'org:admin' },
  params: id,
  input: IdentityProviderInput,
  patch: patchOf(IdentityProviderInput),
  response: IdentityProvider,
  idName: 'identityProviderId',
  logged: { create: LOGGED, patch: ['fields', ...LOGGED] },
})

const EVERY_PERMISSION =
  'You must hold every permission that a user of your organization holds, because a provider can sign in each of them.'

export const listIdentityProviders = defineOperation({
  ...crud.list,
  id: 'listIdentityProviders',
  summary: 'List identity providers',
  description: 'Those of your organization, newest first.',
})

export const getIdentityProvider = defineOperation({
  ...crud.get,
  summary: 'Get an identity provider',
})

export const createIdentityProvider = defineOperation({
  ...crud.create,
  summary: 'Create an identity provider',
  description: `${EVERY_PERMISSION} An organization has at most ${MAX_PROVIDERS} providers. Register \`redirectUrl\` at the provider, and prove a domain.`,
  refusals: ['conflict', 'limit_reached'],
  changesAuthority: true,
})

export const patchIdentityProvider = defineOperation({
  ...crud.patch,
  summary: 'Change an identity provider',
  description: `${EVERY_PERMISSION} \`domains\` and \`groupRoles\` are replaced as a whole. A change of the issuer drops the links of its accounts to users. Issuer and client id stay while the provider is enforced; the secret may change.`,
  refusals: ['conflict'],
  changesAuthority: true,
})

export const deleteIdentityProvider = defineOperation({
  ...crud.delete,
  summary: 'Delete an identity provider',
  description: `${EVERY_PERMISSION} Its domains and links go with it; users and their sessions stay.`,
  changesAuthority: true,
})

export const verifyIdentityDomain = defineOperation({
  id: 'verifyIdentityDomain',
  method: 'POST',
  path: `${path}/{id}/verify-domain`,
  tag,
  summary: 'Prove a domain',
  description: `Looks up the TXT record of a domain, and is 409 if the record is not found or another organization has proved the domain. ${EVERY_PERMISSION}`,
  access: 'org:admin',
  params: id,
  body: closed({ domain }),
  response: IdentityProvider,
  refusals: ['conflict'],
  audit: { procedure: 'identityProvider.verifyDomain', request: ['id', 'domain'] },
  changesAuthority: true,
})

export const SsoRedirect = closed(
  {
    authorizationUrl: Type.String({
      description: 'Page of the provider to open in the same browser.',
      examples: ['https://login.example.com/realms/skagen/authorize?client_id=marketplace&response_type=code'],
    }),
  },
  { description: 'Where a sign-in goes on.' },
)

export const testIdentityProvider = defineOperation({
  id: 'testIdentityProvider',
  method: 'POST',
  path: `${path}/{id}/test`,
  tag,
  summary: 'Test an identity provider',
  description: `Begins a sign-in that only tests the provider: open \`authorizationUrl\` in the same browser within ten minutes. The result is \`test\` of the provider. It links and creates no user, and opens no session. ${EVERY_PERMISSION}`,
  access: 'org:admin',
  params: id,
  response: SsoRedirect,
  audit: { procedure: 'identityProvider.test', request: ['id'] },
  changesAuthority: true,
  noIdempotencyKey: true,
  noStore: true,
})
