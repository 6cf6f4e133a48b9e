import { type Static, Type } from '@sinclair/typebox'
import type { Procedure } from '../../procedures.ts'
import { crudOf, listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Line, patchOf, pathParam } from '../shapes.ts'
import { roleIds } from './roles.ts'

const tag = defineTag(
  'Service accounts',
  'Users of your organization for programs. They have keys instead of a password, and obtain tokens at `POST /flows/v1/oauth/token`. They are granted roles, activated, deactivated and anonymised like other users. Deactivation revokes their keys.',
)

/** Maximum number of service accounts of an organization. */
export const MAX_SERVICE_ACCOUNTS = 100
/** Maximum number of keys of an account that are neither revoked nor expired: the second is for the change of keys. */
export const MAX_LIVE_KEYS = 2
/** Days for which ended keys are listed. */
export const KEPT_KEYS_DAYS = 90

const EXAMPLE_ID = 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YE'
const EXAMPLE_KEY = 'sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_NETWORKS = ['203.0.113.0/24', '2001:db8::/32']

const name = Line(100, { description: 'Name of the program.', examples: ['ERP connector'] })
const description = Line(500, {
  description: 'What the program does, or who is responsible for it.',
  examples: ['Copies orders to the ERP system every five minutes.'],
})

export const ServiceAccount = closed(
  {
    id: Type.String({ description: 'Id of the user that the service account is.', examples: [EXAMPLE_ID] }),
    email: Type.String({
      description: 'Address shown for the account in user lists and the audit log. It receives no mail.',
      examples: ['user_01jz8q4d3r1g5m7vj0t6w2x9ye@service-accounts.marketplace.example.com'],
    }),
    name: Type.String({ description: 'Name of the program; `givenName` of the user.', examples: ['ERP connector'] }),
    description: Type.Optional(
      Type.String({
        description: 'What the program does, or who is responsible for it.',
        examples: ['Copies orders to the ERP system every five minutes.'],
      }),
    ),
    active: Type.Boolean({ description: 'Whether its keys obtain tokens.', examples: [true] }),
    createdTime: DateTime('Time of creation.'),
    updatedTime: DateTime('Time of the last change.'),
  },
  { description: 'A user for programs.' },
)
export type ServiceAccount = Static<typeof ServiceAccount>

export const ServiceAccountInput = closed({
  name,
  description: Type.Optional(description),
  roleIds: Type.Optional(roleIds),
})
export type ServiceAccountInput = Static<typeof ServiceAccountInput>

export const ServiceAccountPatch = patchOf(Type.Omit(ServiceAccountInput, ['roleIds']))

const keyFields = {
  clientId: Type.String({ description: 'Id of the key: the client id.', examples: [EXAMPLE_KEY] }),
  secretPrefix: Type.String({ description: 'Beginning of the client secret.', examples: ['mkt_7Kp2'] }),
  description: Type.Optional(Type.String({ description: 'Where the key is used.', examples: ['Production'] })),
  networks: Type.Array(Type.String({ description: 'A network in CIDR notation.', examples: [EXAMPLE_NETWORKS[0]] }), {
    description: 'Networks from which the key can obtain tokens; empty: any address.',
    examples: [EXAMPLE_NETWORKS],
  }),
  createdBy: Type.String({
    description: 'User who created the key, and saw its secret.',
    examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
  createdTime: DateTime('Time of creation.'),
  expireTime: Type.Optional(DateTime('Time after which the key and its tokens are not valid.')),
  revokedTime: Type.Optional(DateTime('Time of the revocation.')),
  lastUsedTime: Type.Optional(
    DateTime('Last use within a year, to the minute: obtaining a token, or another request with the secret.'),
  ),
  lastUsedAddress: Type.Optional(Type.String({ description: 'Address of the last use.', examples: ['203.0.113.17'] })),
}

export const ServiceAccountKey = closed(keyFields, { description: 'A client id and its secret, which is not shown.' })
export type ServiceAccountKey = Static<typeof ServiceAccountKey>

export const ServiceAccountKeyInput = closed({
  description: Type.Optional(Line(100, { description: 'Where the key is used.', examples: ['Production'] })),
  expireTime: Type.Optional(
    DateTime(
      'Time in the future after which the key is not valid. Default: never, or that of the key with which you create it.',
    ),
  ),
  networks: Type.Optional(
    Type.Array(
      Line(64, {
        description: 'An address, or a network in CIDR notation without bits after its prefix.',
        examples: [EXAMPLE_NETWORKS[0]],
      }),
      {
        maxItems: 20,
        description:
          'Networks from which the key can obtain tokens. Default: any address, or the networks of the key with which you create it. Duplicates are removed.',
        examples: [EXAMPLE_NETWORKS],
      },
    ),
  ),
})
export type ServiceAccountKeyInput = Static<typeof ServiceAccountKeyInput>

export const CreatedServiceAccountKey = closed(
  {
    ...keyFields,
    clientSecret: Type.String({
      description:
        'The secret, which only this response contains: `mkt_`, 43 letters and digits, and a checksum of six. It matches `mkt_[0-9A-Za-z]{49}`.',
      examples: ['mkt_7Kp2vQ9xB1nR4tY8wE5uI3oP6aS0dF7gH2jK9lZ4xC1v1Qz8Xk'],
    }),
  },
  { description: 'A new key with its secret.' },
)
export type CreatedServiceAccountKey = Static<typeof CreatedServiceAccountKey>

export const DerivedKey = closed(
  {
    clientId: keyFields.clientId,
    serviceAccountId: Type.String({ description: 'Id of the account of the key.', examples: [EXAMPLE_ID] }),
    createdBy: keyFields.createdBy,
    createdTime: keyFields.createdTime,
    revokedTime: Type.Optional(DateTime('When this request revoked it; absent if the key is still live.')),
  },
  { description: 'A key derived from the account of the revoked key.' },
)
export type DerivedKey = Static<typeof DerivedKey>

export const KeyRevocation = closed({
  cascade: Type.Optional(
    Type.Boolean({
      description:
        'Whether the keys that the account led to are also revoked. Default true; never where the account revokes a key of its own, and always where the account led to you: an account that it created, or a person whom it invited.',
      examples: [true],
    }),
  ),
})

/** Commands with a lasting effect on access, which the revocation of a key does not undo. */
export const LASTING_PROCEDURES = [
  'identityProvider.create',
  'identityProvider.delete',
  'identityProvider.patch',
  'identityProvider.verifyDomain',
  'mailAddress.create',
  'org.create',
  'registration.approve',
  'role.create',
  'role.grant',
  'role.patch',
  'role.provision',
  'signInSettings.patch',
  'user.activate',
  'user.create',
  'user.patch',
  'user.provision',
  'user.resetPasskeys',
  'user.resetPassword',
  'webhookEndpoint.create',
  'webhookEndpoint.patch',
  'webhookEndpoint.rotateSecret',
] as const satisfies readonly Procedure[]
/** Maximum number of acts that the revocation of a key lists. */
export const MAX_LASTING_ACTS = 100

export const LastingAct = closed(
  {
    procedure: Type.String({ description: 'What was done, as in the audit log.', examples: ['user.create'] }),
    subjectId: Type.Optional(
      Type.String({
        description:
          'Id of the affected user, role, identity provider, webhook endpoint, mail address or organization; absent for sign-in settings.',
        examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YF'],
      }),
    ),
    actorId: Type.String({ description: 'Id of the user who did it.', examples: [EXAMPLE_ID] }),
    time: DateTime('When it was done.'),
  },
  { description: 'An action whose effect on access is not undone by revoking the key.' },
)
export type LastingAct = Static<typeof LastingAct>

export const RevokedServiceAccountKey = closed(
  {
    ...keyFields,
    derivedKeys: Type.Array(DerivedKey, {
      description: 'The live keys that the account led to since the key was created, oldest first.',
    }),
    lastingActs: Type.Array(LastingAct, {
      description: `What the account, and the accounts and people that it led to, did since the key was created that the revocation does not undo: users invited, activated or reset, e-mail addresses changed, roles granted or changed, identity providers and sign-in settings changed, webhook endpoints created, changed or with a new secret, mail addresses added, organizations created or admitted. If the key was stolen, check each. The newest ${MAX_LASTING_ACTS}; the audit log has the others.`,
    }),
  },
  { description: 'A revoked key, with the keys that its account led to.' },
)
export type RevokedServiceAccountKey = Static<typeof RevokedServiceAccountKey>

const path = '/flows/v1/service-accounts'
const id = pathParam('id', 'Id of the service account.', EXAMPLE_ID)

const crud = crudOf({
  name: 'serviceAccount',
  path,
  tag,
  access: { read: 'user:manage', write: 'user:manage' },
  params: id,
  input: ServiceAccountInput,
  patch: ServiceAccountPatch,
  response: ServiceAccount,
  idName: 'serviceAccountId',
  logged: { create: ['roleIds'], patch: ['fields'] },
})

export const listServiceAccounts = defineOperation({
  ...crud.list,
  id: 'listServiceAccounts',
  summary: 'List service accounts',
  description: 'Those of your organization, newest first.',
})

export const getServiceAccount = defineOperation({
  ...crud.get,
  summary: 'Get a service account',
})

export const createServiceAccount = defineOperation({
  ...crud.create,
  summary: 'Create a service account',
  description: `You must hold every permission of its roles. An organization has at most ${MAX_SERVICE_ACCOUNTS} service accounts. The account is active, and can obtain tokens once it has a key.`,
  refusals: ['limit_reached'],
  changesAuthority: true,
})

export const patchServiceAccount = defineOperation({
  ...crud.patch,
  summary: 'Change a service account',
  description: 'You must hold every permission of the account.',
  changesAuthority: true,
})

export const listServiceAccountKeys = defineOperation({
  ...listOf(ServiceAccountKey),
  id: 'listServiceAccountKeys',
  path: `${path}/{id}/keys`,
  tag,
  summary: 'List the keys of a service account',
  description: `Newest first. Keys that were revoked or have expired are listed for ${KEPT_KEYS_DAYS} days.`,
  access: 'user:manage',
  params: id,
})

export const createServiceAccountKey = defineOperation({
  id: 'createServiceAccountKey',
  method: 'POST',
  path: `${path}/{id}/keys`,
  tag,
  summary: 'Create a key of a service account',
  description: `The response contains the client id and the secret, which is stored as a hash and never shown again. You must hold every permission of the account. An account has at most ${MAX_LIVE_KEYS} keys that are neither revoked nor expired: create the new one, deploy it, then revoke the old one. A key created with another key inherits its \`expireTime\` and \`networks\`, unless you name an earlier time or parts of these networks; anything else is 400. The creator of a key knows its secret, and so does everyone who knows the secret of the key with which it was created. The account gains no permission that one of them lacks: such a grant or role change is 409.`,
  access: 'user:manage',
  params: id,
  body: ServiceAccountKeyInput,
  status: 201,
  response: CreatedServiceAccountKey,
  refusals: ['limit_reached'],
  audit: { procedure: 'serviceAccount.key.create', request: ['id', 'keyId', 'expireTime', 'networks'] },
  changesAuthority: true,
  noStore: true,
})

export const revokeServiceAccountKey = defineOperation({
  id: 'revokeServiceAccountKey',
  method: 'POST',
  path: `${path}/{id}/keys/{keyId}/revoke`,
  tag,
  summary: 'Revoke a key of a service account',
  description:
    'The key can obtain no more tokens, and its existing tokens are void in every service within a second. Invitations and impersonation grants that the account made also end, because a stolen key could have made them. For the same reason the revocation ends the keys that the account created since (for a key that the account created itself: since the first key of that chain), the keys of accounts that it created since, those that people whom it invited since have created, and in turn the keys that those led to, except keys of accounts with a permission that you lack. Mail addresses that they added and whose owners have not confirmed them are removed. The response lists the keys. They stay with `cascade: false`, unless the account led to yourself, and where the account revokes its own key, as in a rotation. If a thief did that, revoke the key again: 409 only where the account left neither keys nor acts. You must hold every permission of the account.',
  access: 'user:manage',
  params: Type.Object({
    ...id.properties,
    ...pathParam('keyId', 'Client id of the key.', EXAMPLE_KEY).properties,
  }),
  body: KeyRevocation,
  bodyOptional: true,
  response: RevokedServiceAccountKey,
  refusals: ['illegal_transition'],
  audit: { procedure: 'serviceAccount.key.revoke', request: ['id', 'keyId', 'cascade', 'endedKeyIds'] },
  changesAuthority: true,
})
