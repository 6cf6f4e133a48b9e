import { type Static, Type } from '@sinclair/typebox'
import { accountsTag } from '../identity/accounts.ts'
import { defineOperation } from '../operation.ts'
import { closed } from '../shapes.ts'

const secondFactor = Type.Boolean({
  description:
    'Whether people of your organization need a passkey to sign in, except those who must use an identity provider. Their password alone opens no session, and those without a passkey register one at the next sign-in in the console.',
  examples: [true],
})

export const SignInSettings = closed({ secondFactor }, { description: 'How people of an organization sign in.' })
export type SignInSettings = Static<typeof SignInSettings>
export const SignInSettingsPatch = Type.Partial(closed({ secondFactor }))

const common = { path: '/flows/v1/sign-in-settings', tag: accountsTag, access: 'org:admin' } as const

export const getSignInSettings = defineOperation({
  id: 'getSignInSettings',
  method: 'GET',
  ...common,
  summary: "Get your organization's sign-in settings",
  response: SignInSettings,
  etag: true,
})

export const patchSignInSettings = defineOperation({
  id: 'patchSignInSettings',
  method: 'PATCH',
  ...common,
  summary: "Change your organization's sign-in settings",
  description:
    'You need a passkey of your own before you can require one (409). Sessions that began with a password alone end at their next refresh; those that began with a passkey or at an identity provider go on.',
  body: SignInSettingsPatch,
  response: SignInSettings,
  ifMatch: true,
  refusals: ['conflict'],
  changesAuthority: true,
  audit: { procedure: 'signInSettings.patch', request: ['secondFactor'] },
})
