import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed } from '../shapes.ts'
import { accountsTag } from './accounts.ts'
import {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  passkeyName,
} from './passkeys.ts'
import { TokenSet } from './tokens.ts'

export const SignInTokenSet = closed(
  {
    ...TokenSet.properties,
    email: Type.String({ description: 'E-mail address of the user.', examples: ['ada.berg@example.com'] }),
  },
  { description: 'Tokens of a sign-in in the console.' },
)
export type SignInTokenSet = Static<typeof SignInTokenSet>

export const SignInStep = closed(
  {
    tokens: Type.Optional(SignInTokenSet),
    passkey: Type.Optional(PasskeyRequestOptions),
    firstPasskey: Type.Optional(PasskeyCreationOptions),
  },
  {
    description:
      'One of three: the tokens; the challenge for a passkey of the person, as the second factor; or the challenge for the first passkey of a person who has none and needs one.',
  },
)
export type SignInStep = Static<typeof SignInStep>

const path = '/flows/v1/sign-in'
const common = {
  method: 'POST',
  tag: accountsTag,
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  refusals: ['invalid_credentials'],
  noStore: true,
} as const
const request = ['passkeyId', 'reason'] as const

export const signInWithPassword = defineOperation({
  id: 'signInWithPassword',
  ...common,
  path: `${path}/password`,
  summary: 'Sign in with a password in the console',
  description:
    'As the grant `password`, but also for people whose organization requires a second factor: after the right password they get a challenge instead of tokens. A cookie binds it to the browser.',
  body: closed({
    username: Type.String({
      minLength: 1,
      maxLength: 320,
      description: 'E-mail address, case-insensitive.',
      examples: ['ada.berg@example.com'],
    }),
    password: Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Password.',
      examples: ['correct horse battery staple'],
    }),
  }),
  response: SignInStep,
  audit: { procedure: 'auth.signIn', request },
})

export const startPasskeySignIn = defineOperation({
  id: 'startPasskeySignIn',
  ...common,
  path: `${path}/passkey/start`,
  summary: 'Begin to sign in with a passkey',
  description:
    'Answers a challenge for any passkey of this marketplace, without an address, so it tells nothing about one. A cookie binds it to the browser.',
  response: PasskeyRequestOptions,
  refusals: [],
  audit: { procedure: 'auth.signIn', request: [], refusalsOnly: true },
})

export const signInWithPasskey = defineOperation({
  id: 'signInWithPasskey',
  ...common,
  path: `${path}/passkey`,
  summary: 'Sign in with a passkey',
  description:
    'Ends `startPasskeySignIn`, or the second factor of `signInWithPassword`, whose passkey must belong to the same person. Every failure gets the same response, and uses up the challenge.',
  body: closed({ assertion: PasskeyAssertion }),
  response: SignInTokenSet,
  audit: { procedure: 'auth.signIn', request },
})

export const signInWithFirstPasskey = defineOperation({
  id: 'signInWithFirstPasskey',
  ...common,
  path: `${path}/first-passkey`,
  summary: 'Register the first passkey at a sign-in',
  description:
    'Ends `signInWithPassword` of a person who needs a passkey and has none: adds the passkey, and answers tokens. Every failure gets the same response, and uses up the challenge. In the audit log it is `passkey.create`.',
  body: closed({
    name: passkeyName,
    credential: PasskeyAttestation,
  }),
  response: SignInTokenSet,
  audit: { procedure: 'passkey.create', request: [...request, 'signIn'] },
})
