import { Type } from '@sinclair/typebox'
import { Id, OrgId } from './shapes.ts'

const KeyData = Type.Object(
  { kid: Type.String({ description: 'Id of the signing key.', examples: ['key_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }) },
  { description: 'A signing key was revoked, so the tokens that it signed are void.' },
)

const SessionsData = Type.Object(
  {
    sessionIds: Type.Array(Id('sess', 'Id of a session.'), {
      maxItems: 100,
      description: 'At most 100 sessions; a command that ends more emits several events.',
      examples: [['sess_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']],
    }),
  },
  { description: 'The sessions ended, so their access tokens are void.' },
)

const TokenData = Type.Object(
  {
    tokenId: Type.String({
      description: 'The `jti` of the token.',
      examples: ['0d5bb6a6-7d5c-4a63-9c0c-3a8b7d3f4f10'],
    }),
  },
  { description: 'An access token of a service account was revoked. Its key and its other tokens stay valid.' },
)

const passkey = {
  passkeyId: Id('passkey', 'The passkey.'),
  userId: Id('user', 'The person.'),
  orgId: OrgId('The organization.'),
}

const PasskeyAddedData = Type.Object(passkey, {
  description: 'A person added a passkey; organization tells the person by mail.',
})
const PasskeyRemovedData = Type.Object(passkey, {
  description: 'A person removed a passkey; organization tells the person by mail.',
})

export const IDENTITY_EVENTS = {
  'identity.key.revoked': KeyData,
  'identity.passkey.added': PasskeyAddedData,
  'identity.passkey.removed': PasskeyRemovedData,
  'identity.session.revoked': SessionsData,
  'identity.token.revoked': TokenData,
}
