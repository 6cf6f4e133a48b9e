import { Type } from '@sinclair/typebox'
import { defineOperation, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed } from '../shapes.ts'
import { accountsTag } from './accounts.ts'
import { SignInTokenSet } from './sign-in.ts'

export const exchangeSsoCode = defineOperation({
  id: 'exchangeSsoCode',
  method: 'POST',
  path: '/flows/v1/sso/token',
  tag: accountsTag,
  summary: 'Exchange the code of a sign-in for tokens',
  description:
    'The code is in the fragment of the page that follows a sign-in at an identity provider. It works once, within 60 seconds and only in the browser that began. Unknown, used and expired codes, and those of another browser, get the same response.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({
    code: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The code.',
      examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
    }),
  }),
  response: SignInTokenSet,
  refusals: ['invalid_credentials'],
  audit: { procedure: 'auth.signIn', request: ['identityProviderId', 'reason'] },
  noStore: true,
})
