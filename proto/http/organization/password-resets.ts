import { accountsTag } from '../identity/accounts.ts'
import { defineOperation, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed } from '../shapes.ts'
import { EmailAddress, MAX_LINKS_PER_RECIPIENT } from './users.ts'

/** Minutes for which the link of a forgotten password works. */
export const PASSWORD_RESET_MINUTES = 60

export const createPasswordReset = defineOperation({
  id: 'createPasswordReset',
  method: 'POST',
  path: '/flows/v1/password-resets',
  tag: accountsTag,
  summary: 'Ask for a link to choose a new password',
  description: `If a person has this address, it gets a link that works once within ${PASSWORD_RESET_MINUTES} minutes; at most ${MAX_LINKS_PER_RECIPIENT.selfService} links an hour. The password and sessions stay valid until the link is used. The response is the same for every address.`,
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({ email: EmailAddress }),
  status: 204,
  refusals: ['mail_unavailable'],
  audit: { procedure: 'passwordReset.create', request: [], isDeferred: true },
  noStore: true,
})
