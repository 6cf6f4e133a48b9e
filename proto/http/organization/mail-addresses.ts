import { type Static, Type } from '@sinclair/typebox'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, DateTime, FORM, OneOf, pathParam, Text } from '../shapes.ts'
import { EMAIL_FORM, EMAIL_MAX_CHARACTERS, EMAIL_PATTERN, LINK_LIMITS } from './users.ts'

const tag = defineTag('Mail addresses', "Addresses that receive your organization's e-mail notifications.")
const EXAMPLE_ID = 'maddr_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_EMAIL = 'quotations@vestland-additive.example.com'
const EXAMPLE_TOKEN = 'mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'

/** Maximum number of mail addresses of an organization. */
export const MAX_MAIL_ADDRESSES = 10
/** Hours within which a new address is confirmed. */
export const CONFIRMATION_HOURS = 72

export const MAIL_TOPICS = ['INVITATIONS', 'OFFERS', 'AWARDS', 'ORDERS', 'CASES', 'ENDPOINTS', 'INBOX'] as const
export type MailTopic = (typeof MAIL_TOPICS)[number]
/** The topics of an address that names none: the summary of the inbox repeats what the others have told. */
export const DEFAULT_TOPICS = MAIL_TOPICS.filter((topic) => topic !== 'INBOX')

const email = Text(EMAIL_MAX_CHARACTERS, {
  minLength: 3,
  pattern: EMAIL_PATTERN,
  [FORM]: EMAIL_FORM,
  description: 'E-mail address, unique in your organization. It need not be that of a user.',
  examples: [EXAMPLE_EMAIL],
})

const topics = Type.Array(
  OneOf(MAIL_TOPICS, {
    description:
      'INVITATIONS: invitations to quote, and changes to their RFQs, such as answers to questions. OFFERS: offers for and questions about your RFQs, and the outcome of your offers. AWARDS: awards, with the orders that they place. ORDERS: the steps of orders. CASES: cases that other organizations open, close, add to or write in, your expenses that they approve or reject, and subscriptions that they request, decide or end; for the operator also registrations that wait for it. ENDPOINTS: webhook endpoints that the marketplace paused. INBOX: once a day, how much waits for your organization, if anything does.',
    examples: ['INVITATIONS'],
  }),
  {
    minItems: 1,
    maxItems: 20,
    description: 'Topics that the address is notified about; duplicates are removed. Default: all but INBOX.',
    examples: [['INVITATIONS', 'ORDERS']],
  },
)

export const MailAddress = closed(
  {
    id: Type.String({ description: 'Id of the address.', examples: [EXAMPLE_ID] }),
    email: Type.String({ description: 'E-mail address.', examples: [EXAMPLE_EMAIL] }),
    topics,
    confirmed: Type.Boolean({
      description: 'Whether its owner has confirmed it. Until then it gets only the confirmation mail.',
      examples: [true],
    }),
    createdTime: DateTime('Time of creation.'),
    confirmedTime: Type.Optional(DateTime('Time of the confirmation.')),
  },
  { description: 'An address that receives e-mail notifications.' },
)
export type MailAddress = Static<typeof MailAddress>

export const MailAddressInput = closed({ email, topics: Type.Optional(topics) })

export const MailAddressPatch = Type.Pick(MailAddressInput, ['topics'])

const path = '/flows/v1/mail-addresses'
const addressId = pathParam('id', 'Id of the address.', EXAMPLE_ID)

const crud = crudOf({
  name: 'mailAddress',
  path,
  tag,
  access: { read: 'org:admin', write: 'org:admin' },
  params: addressId,
  input: MailAddressInput,
  patch: MailAddressPatch,
  response: MailAddress,
  idName: 'mailAddressId',
  // The address is not logged, because it may be that of a person.
  logged: { create: ['topics'], patch: ['topics'] },
})

export const listMailAddresses = defineOperation({
  ...crud.list,
  id: 'listMailAddresses',
  summary: 'List mail addresses',
  description: 'Those of your organization, newest first.',
})

export const getMailAddress = defineOperation({
  ...crud.get,
  summary: 'Get a mail address',
})

export const createMailAddress = defineOperation({
  ...crud.create,
  summary: 'Add a mail address',
  description: `At most ${MAX_MAIL_ADDRESSES} per organization. It gets a link with which its owner can confirm it within ${CONFIRMATION_HOURS} hours; an unconfirmed address is removed. A recipient gets ${LINK_LIMITS}.`,
  refusals: ['conflict', 'limit_reached', 'mail_unavailable'],
  outlivesImpersonation: true,
})

export const patchMailAddress = defineOperation({
  ...crud.patch,
  summary: 'Change the topics of a mail address',
  description: '`topics` replaces the earlier ones.',
  outlivesImpersonation: true,
})

export const sendMailAddressConfirmation = defineOperation({
  id: 'sendMailAddressConfirmation',
  method: 'POST',
  path: `${path}/{id}/send-confirmation`,
  tag,
  summary: 'Send the confirmation of a mail address again',
  description: `The address gets a new link for another ${CONFIRMATION_HOURS} hours, and the earlier one is void. A confirmed address is a conflict. A recipient gets ${LINK_LIMITS}.`,
  access: 'org:admin',
  params: addressId,
  response: MailAddress,
  refusals: ['conflict', 'limit_reached', 'mail_unavailable'],
  audit: { procedure: 'mailAddress.sendConfirmation', request: ['id'] },
  outlivesImpersonation: true,
})

export const deleteMailAddress = defineOperation({
  ...crud.delete,
  summary: 'Remove a mail address',
  description: 'Mails to it that are still queued are dropped.',
  outlivesImpersonation: true,
})

const token = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'Token of the link.',
  examples: [EXAMPLE_TOKEN],
})

/** The address of a link. */
export const LinkedAddress = closed({
  email: Type.String({ description: 'E-mail address.', examples: [EXAMPLE_EMAIL] }),
  organizationName: Type.String({
    description: 'Name of the organization that added it.',
    examples: ['Vestland Additive'],
  }),
})
export type LinkedAddress = Static<typeof LinkedAddress>

export const introspectMailAddress = defineOperation({
  id: 'introspectMailAddress',
  method: 'POST',
  path: `${path}/introspect`,
  tag,
  summary: 'Read which mail address a link is for',
  description:
    'For the token of a link that confirms or removes the address. Unknown and used tokens get the same 404.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({ token }),
  response: LinkedAddress,
  refusals: ['not_found'],
  noStore: true,
})

export const confirmMailAddress = defineOperation({
  id: 'confirmMailAddress',
  method: 'POST',
  path: `${path}/confirm`,
  tag,
  summary: 'Confirm a mail address with the link of its mail',
  description: 'The token works once. Unknown, used and expired tokens are the same 404.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: closed({ token }),
  status: 204,
  refusals: ['not_found'],
  // The owner of the address may be no user: the actor is the user who added it.
  audit: { procedure: 'mailAddress.confirm', request: ['mailAddressId', 'userId'] },
})

/** RFC 8058: a mail program posts this form to the link in the header when its user unsubscribes. */
export const unsubscribeMailAddress = defineOperation({
  id: 'unsubscribeMailAddress',
  method: 'POST',
  path: '/flows/v1/unsubscriptions',
  tag,
  summary: 'Unsubscribe a mail address with one click',
  description:
    "The URL in the header `List-Unsubscribe` of each mail (RFC 8058). Removes the mail address, or turns off the user's notifications. An unknown or used token has no effect.",
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  query: Type.Object({ token }),
  form: 'accepted',
  bodyOptional: true,
  body: closed({
    'List-Unsubscribe': Type.Optional(
      OneOf(['One-Click'], { description: 'The field that mail programs send.', examples: ['One-Click'] }),
    ),
  }),
  status: 204,
  audit: { procedure: 'mailAddress.unsubscribe', request: ['mailAddressId', 'userId'] },
})
