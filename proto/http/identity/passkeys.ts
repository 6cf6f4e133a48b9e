import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, DateTime, Line, OneOf, PageOf, pageQuery, pathParam } from '../shapes.ts'
import { accountsTag } from './accounts.ts'

/** Passkeys of one person. */
export const MAX_PASSKEYS = 10
/** Minutes within which the authenticator answers a challenge. */
export const PASSKEY_CHALLENGE_MINUTES = 5

const EXAMPLE_ID = 'passkey_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const CHALLENGE = 'mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'
/** How browsers reach authenticators. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const
export type PasskeyTransport = (typeof TRANSPORTS)[number]

const Base64Url = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$', description, examples: [example] })

const clientDataJSON = Base64Url(
  2048,
  '`response.clientDataJSON` of the browser, in base64url.',
  'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
)

const transports = (description: string) =>
  Type.Array(OneOf(TRANSPORTS), { maxItems: TRANSPORTS.length, description, examples: [['internal']] })

export const passkeyName = Line(100, {
  description: 'Name by which the person recognises the passkey.',
  examples: ['Work laptop'],
})

export const Passkey = closed({
  id: Type.String({ description: 'Id of the passkey.', examples: [EXAMPLE_ID] }),
  name: Type.String({ description: 'Name of the passkey.', examples: ['Work laptop'] }),
  createdTime: DateTime('Time of the registration.'),
  lastUsedTime: Type.Optional(DateTime('Time of the last use; absent for one that was not used yet.')),
})
export type Passkey = Static<typeof Passkey>

/** A passkey in the options of the browser. */
const Descriptor = closed({
  id: Type.String({ description: 'Id of the credential, in base64url.', examples: ['AQIDBAUGBwgJCgsMDQ4PEA'] }),
  type: OneOf(['public-key'], { description: 'Type of the credential.', examples: ['public-key'] }),
  transports: Type.Optional(transports('How browsers reach the authenticator.')),
})

const challenge = Type.String({
  description: `What the authenticator signs, in base64url. It works once, within ${PASSKEY_CHALLENGE_MINUTES} minutes.`,
  examples: [CHALLENGE],
})
const timeout = Type.Integer({ description: 'Milliseconds for which the browser waits.', examples: [300_000] })
const userVerification = OneOf(['required'], {
  description: 'The authenticator asks for a PIN, a fingerprint or the like.',
  examples: ['required'],
})

export const PasskeyRequestOptions = closed(
  {
    challenge,
    rpId: Type.String({ description: 'Host of the marketplace.', examples: ['marketplace.example.com'] }),
    timeout,
    userVerification,
    allowCredentials: Type.Optional(
      Type.Array(Descriptor, { description: 'The passkeys of the person; absent: any passkey of this host.' }),
    ),
  },
  { description: 'Options of `navigator.credentials.get`, in JSON as `parseRequestOptionsFromJSON` takes them.' },
)
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>

export const PasskeyCreationOptions = closed(
  {
    challenge,
    rp: closed({
      id: Type.String({ description: 'Host of the marketplace.', examples: ['marketplace.example.com'] }),
      name: Type.String({ description: 'Name of the marketplace.', examples: ['Marketplace'] }),
    }),
    user: closed({
      id: Type.String({ description: 'Handle of the person, in base64url.', examples: ['dXNlcl8wMUpaOA'] }),
      name: Type.String({ description: 'E-mail address of the person.', examples: ['ada.berg@example.com'] }),
      displayName: Type.String({ description: 'The same.', examples: ['ada.berg@example.com'] }),
    }),
    pubKeyCredParams: Type.Array(
      closed({
        type: OneOf(['public-key'], { description: 'Type of the credential.', examples: ['public-key'] }),
        alg: Type.Integer({ description: 'Algorithm of COSE.', examples: [-7] }),
      }),
      { description: 'Algorithms, the preferred one first.' },
    ),
    timeout,
    attestation: OneOf(['none'], { description: 'No attestation is asked for.', examples: ['none'] }),
    excludeCredentials: Type.Array(Descriptor, { description: 'The passkeys that the person has.' }),
    authenticatorSelection: closed({
      residentKey: OneOf(['required'], {
        description: 'The passkey is found without an address.',
        examples: ['required'],
      }),
      requireResidentKey: Type.Boolean({ description: 'The same for older browsers.', examples: [true] }),
      userVerification,
    }),
  },
  { description: 'Options of `navigator.credentials.create`, in JSON as `parseCreationOptionsFromJSON` takes them.' },
)
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>

export const PasskeyAssertion = closed(
  {
    id: Base64Url(1366, 'Id of the credential, in base64url.', 'AQIDBAUGBwgJCgsMDQ4PEA'),
    clientDataJSON,
    authenticatorData: Base64Url(2048, '`response.authenticatorData`, in base64url.', 'SZYN5YgOjGh0NBcPZHZgW4'),
    signature: Base64Url(2048, '`response.signature`, in base64url.', 'MEUCIQDp3vYAbcdEfGh'),
    userHandle: Type.Optional(Base64Url(128, '`response.userHandle`, in base64url.', 'dXNlcl8wMUpaOA')),
  },
  { description: 'The answer of an authenticator to a challenge.' },
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

export const PasskeyAttestation = closed(
  {
    clientDataJSON,
    attestationObject: Base64Url(
      8192,
      '`response.attestationObject`, in base64url. Only the key is read; an attestation is ignored.',
      'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik',
    ),
    transports: Type.Optional(transports('`response.getTransports()`; unknown ones are left out.')),
  },
  { description: 'A new credential of an authenticator.' },
)
export type PasskeyAttestation = Static<typeof PasskeyAttestation>

const path = '/flows/v1/passkeys'
const common = { tag: accountsTag, access: 'token', maxBodyBytes: MAX_IDENTITY_BODY_BYTES } as const
const id = pathParam('id', 'Id of the passkey.', EXAMPLE_ID)

export const listPasskeys = defineOperation({
  id: 'listPasskeys',
  method: 'GET',
  path,
  tag: accountsTag,
  summary: 'List passkeys',
  description:
    'Your own passkeys, newest first, or with `userId` those of another user of your organization, which needs `user:manage`.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    userId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Only passkeys of this user. Default: the caller.',
        examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
  }),
  response: PageOf(Passkey),
  refusals: ['forbidden'],
})

export const getPasskey = defineOperation({
  id: 'getPasskey',
  method: 'GET',
  path: `${path}/{id}`,
  tag: accountsTag,
  summary: 'Get a passkey',
  description: 'One of your own.',
  access: 'token',
  params: id,
  response: Passkey,
  etag: true,
})

export const confirmWithPasskey = defineOperation({
  id: 'confirmWithPasskey',
  method: 'POST',
  path: `${path}/confirm`,
  ...common,
  summary: 'Begin to confirm yourself with a passkey',
  description: 'Answers a challenge for the passkeys that you have. Its answer takes the place of your password.',
  response: PasskeyRequestOptions,
  refusals: ['conflict'],
  audit: { procedure: 'passkey.confirm', request: [] },
  changesAuthority: true,
  noIdempotencyKey: true,
  noStore: true,
})

export const startPasskey = defineOperation({
  id: 'startPasskey',
  method: 'POST',
  path: `${path}/start`,
  ...common,
  summary: 'Begin to add a passkey',
  description: `Takes your password, or the answer of a passkey that you have to \`confirmWithPasskey\`, and answers a challenge for a new one. A person has at most ${MAX_PASSKEYS}. People who must sign in by an identity provider, and service accounts, have none (409).`,
  body: closed({
    currentPassword: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Your password.',
        examples: ['correct horse battery staple'],
      }),
    ),
    assertion: Type.Optional(PasskeyAssertion),
  }),
  response: PasskeyCreationOptions,
  refusals: ['conflict', 'limit_reached'],
  audit: { procedure: 'passkey.start', request: [] },
  changesAuthority: true,
  noIdempotencyKey: true,
  noStore: true,
})

export const createPasskey = defineOperation({
  id: 'createPasskey',
  method: 'POST',
  path,
  ...common,
  summary: 'Add a passkey',
  description: 'The challenge of `startPasskey` works only in the session that began. You are notified by mail.',
  body: closed({ name: passkeyName, credential: PasskeyAttestation }),
  status: 201,
  response: Passkey,
  refusals: ['conflict', 'limit_reached'],
  audit: { procedure: 'passkey.create', request: ['passkeyId'] },
  changesAuthority: true,
  noIdempotencyKey: true,
})

export const patchPasskey = defineOperation({
  id: 'patchPasskey',
  method: 'PATCH',
  path: `${path}/{id}`,
  ...common,
  summary: 'Rename a passkey',
  description: 'One of your own.',
  params: id,
  body: Type.Partial(closed({ name: passkeyName })),
  response: Passkey,
  ifMatch: true,
  audit: { procedure: 'passkey.patch', request: ['id'] },
  changesAuthority: true,
})

export const deletePasskey = defineOperation({
  id: 'deletePasskey',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag: accountsTag,
  access: 'token',
  summary: 'Remove a passkey',
  description:
    'One of your own. The last one stays while your organization requires a second factor (409). You are notified by mail.',
  params: id,
  status: 204,
  refusals: ['conflict'],
  audit: { procedure: 'passkey.delete', request: ['id'] },
  changesAuthority: true,
})
