import { type Static, Type } from '@sinclair/typebox'
import { accountsTag } from '../identity/accounts.ts'
import { defineOperation, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, pathParam } from '../shapes.ts'
import { EmailAddress } from './users.ts'

/** Minutes within which a person comes back from the provider. */
export const SSO_FLOW_MINUTES = 10
/** Seconds for which a code can be exchanged for tokens. */
export const SSO_CODE_SECONDS = 60

export const SsoStart = closed(
  {
    authorizationUrl: Type.Optional(
      Type.String({
        description: 'Page of the provider of the domain, to open in the same browser; absent: use the password.',
        examples: ['https://login.example.com/realms/skagen/authorize?client_id=marketplace&response_type=code'],
      }),
    ),
  },
  { description: 'How people of a domain sign in.' },
)
export type SsoStart = Static<typeof SsoStart>

export const startSso = defineOperation({
  id: 'startSso',
  method: 'POST',
  path: '/flows/v1/sso/start',
  tag: accountsTag,
  summary: 'Begin to sign in',
  description: `For the address of a person, answers the page of the identity provider of its domain, or an empty object where the domain has none. The answer depends on the domain alone, whether or not the address is known. A cookie binds the sign-in to the browser, for ${SSO_FLOW_MINUTES} minutes.`,
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({ email: EmailAddress }),
  response: SsoStart,
  audit: { procedure: 'auth.signIn', request: [], refusalsOnly: true },
  noStore: true,
})

/** Providers send browsers here. It leads to the console, with a code or a problem in the fragment. */
export const ssoCallback = defineOperation({
  id: 'ssoCallback',
  method: 'GET',
  path: '/flows/v1/sso/callback/{id}',
  tag: accountsTag,
  summary: 'Come back from an identity provider',
  access: 'public',
  params: pathParam('id', 'Id of the provider.', 'idp_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
  page: true,
  audit: { procedure: 'auth.signIn', request: [], refusalsOnly: true },
  noStore: true,
})

/** Why a sign-in at a provider failed: the word in the fragment `#sso-problem=<word>` of the page. */
const SSO_PROBLEMS = ['expired', 'declined', 'provider', 'email', 'account'] as const
export type SsoProblem = (typeof SSO_PROBLEMS)[number]
