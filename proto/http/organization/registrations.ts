import { type Static, Type } from '@sinclair/typebox'
import { ORG_ROLES } from '../../permissions.ts'
import { REGISTRATION, REGISTRATION_STATES } from '../../states/registrations.ts'
import { defineOperation, defineTag, MAX_IDENTITY_BODY_BYTES } from '../operation.ts'
import { closed, DateTime, Line, OneOf, PageOf, pageQuery, pathParam, Text } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { name, regionCode, website } from './orgs.ts'
import { activationUrl, person } from './users.ts'

const tag = defineTag('Registrations', 'Companies that ask to join the marketplace.')

const EXAMPLE_ID = 'registration_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Hours within which the mailed link is used; other registrations are deleted. */
export const REGISTRATION_HOURS = 24
/** Registrations of one network address within an hour. */
export const MAX_REGISTRATIONS_PER_NETWORK = 20
/** Days for which a decided registration is kept. */
export const DECIDED_REGISTRATION_DAYS = 90

const roles = Type.Array(OneOf(ORG_ROLES, { description: 'A marketplace role.', examples: ['MANUFACTURER'] }), {
  minItems: 1,
  maxItems: 5,
  description:
    'What the company does: CONSUMER buys parts, IP_OWNER owns drawings of parts, MANUFACTURER makes parts, SELLER and DISTRIBUTOR trade. Duplicates are removed.',
  examples: [['MANUFACTURER']],
})

const organization = closed(
  { name, regionCode, roles, website: Type.Optional(website) },
  { description: 'The company.', examples: [{ name: 'Skagen Pumps', regionCode: 'DK', roles: ['CONSUMER'] }] },
)

const user = closed(person, {
  description: 'Its first administrator.',
  examples: [{ email: 'anders.juhl@skagen-pumps.example.com', givenName: 'Anders', familyName: 'Juhl' }],
})

export const RegistrationInput = closed({ organization, user })
export type RegistrationInput = Static<typeof RegistrationInput>

const SimilarOrganization = closed(
  {
    orgId: Type.String({ description: 'Id of the organization.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    name: Type.String({ description: 'Its name.', examples: ['Skagen Pumps'] }),
    because: OneOf(['NAME', 'DOMAIN'], {
      description: 'NAME: the names are similar. DOMAIN: users of it have addresses of the same domain.',
      examples: ['DOMAIN'],
    }),
  },
  { description: 'An organization that may be the same company, or that the applicant may imitate.' },
)

export const Registration = closed(
  {
    id: Type.String({ description: 'Id of the registration.', examples: [EXAMPLE_ID] }),
    state: OneOf(REGISTRATION_STATES, { description: 'State of the registration.', examples: ['PENDING'] }),
    organization,
    user,
    similar: Type.Array(SimilarOrganization, {
      maxItems: 10,
      description: 'Organizations with a similar name or the same domain, while the registration is PENDING.',
    }),
    reason: Type.Optional(Type.String({ description: 'Why it was rejected.', examples: ['Already registered.'] })),
    orgId: Type.Optional(
      Type.String({ description: 'The new organization.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'] }),
    ),
    createdTime: DateTime('Time of the request.'),
    confirmedTime: Type.Optional(DateTime('When the applicant used the mailed link.')),
    decidedTime: Type.Optional(DateTime('When it was approved or rejected.')),
  },
  { description: 'A company that asks to join. Decided ones are deleted after 90 days.' },
)
export type Registration = Static<typeof Registration>

export const createRegistration = defineOperation({
  id: 'createRegistration',
  method: 'POST',
  path: '/flows/v1/registrations',
  tag,
  summary: 'Ask to join the marketplace',
  description: `Mails a link to the address, which confirms the registration within ${REGISTRATION_HOURS} hours. The response is the same for every address: one that has an account already gets a mail that says so. At most ${MAX_REGISTRATIONS_PER_NETWORK} registrations an hour from one network address. Not found where companies cannot register (\`REGISTRATION=closed\`).`,
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: RegistrationInput,
  status: 204,
  refusals: ['mail_unavailable', 'not_found'],
  audit: { procedure: 'registration.create', request: [], isDeferred: true },
  noStore: true,
})

const Token = closed({
  token: Text(128, {
    minLength: 1,
    description: 'Token of the mailed link.',
    examples: ['mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
  }),
})

export const introspectRegistration = defineOperation({
  id: 'introspectRegistration',
  method: 'POST',
  path: '/flows/v1/registrations/introspect',
  tag,
  summary: 'Show the registration of a mailed link',
  description: 'Changes nothing, so that programs that open the links of mails confirm nothing.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: Token,
  response: RegistrationInput,
  refusals: ['not_found'],
  noStore: true,
})

export const confirmRegistration = defineOperation({
  id: 'confirmRegistration',
  method: 'POST',
  path: '/flows/v1/registrations/confirm',
  tag,
  summary: 'Confirm a registration with the mailed link',
  description:
    'The link works once. With `REGISTRATION=open` the organization is created at once, and the response has the link with which its administrator chooses a password, unless it wants to be a SELLER, a DISTRIBUTOR, or both CONSUMER and MANUFACTURER: the operator decides these, and all others.',
  access: 'public',
  maxBodyBytes: MAX_IDENTITY_BODY_BYTES,
  body: Token,
  response: closed({
    state: OneOf(['PENDING', 'APPROVED'], { description: 'PENDING: the operator decides.', examples: ['PENDING'] }),
    activationUrl: Type.Optional(activationUrl),
  }),
  refusals: ['not_found'],
  audit: { procedure: 'registration.confirm', request: ['orgId'] },
  noStore: true,
})

const registrationId = pathParam('id', 'Id of the registration.', EXAMPLE_ID)

export const listRegistrations = defineOperation({
  id: 'listRegistrations',
  method: 'GET',
  path: '/flows/v1/registrations',
  tag,
  summary: 'List registrations',
  description: 'For the operator, newest first. Registrations that are not confirmed are not listed.',
  access: 'platform:operate',
  query: Type.Object({
    ...pageQuery,
    state: Type.Optional(
      OneOf(['PENDING', 'APPROVED', 'REJECTED'], { description: 'Only those in this state.', examples: ['PENDING'] }),
    ),
  }),
  response: PageOf(Registration),
})

export const getRegistration = defineOperation({
  id: 'getRegistration',
  method: 'GET',
  path: '/flows/v1/registrations/{id}',
  tag,
  summary: 'Get a registration',
  access: 'platform:operate',
  params: registrationId,
  response: Registration,
  etag: true,
})

const verb = verbsOf({
  name: 'registration',
  table: REGISTRATION,
  path: '/flows/v1/registrations/{id}',
  tag,
  params: registrationId,
  response: Registration,
})

export const approveRegistration = defineOperation({
  ...verb('approve', {
    logged: ['orgId', 'roles', 'name'],
    note: 'Creates the organization and its administrator, who gets a link by mail.',
  }),
  summary: 'Approve a registration',
  access: 'platform:operate',
  body: closed({
    roles: Type.Optional(roles),
    name: Type.Optional(Line(200, { description: 'Another name of the organization.', examples: ['Skagen Pumps'] })),
  }),
  bodyOptional: true,
  response: closed({ ...Registration.properties, activationUrl: Type.Optional(activationUrl) }),
  refusals: ['illegal_transition', 'email_taken'],
  changesAuthority: true,
  noStore: true,
})

export const rejectRegistration = defineOperation({
  ...verb('reject', { logged: ['reason'], note: 'The applicant gets the reason by mail.' }),
  summary: 'Reject a registration',
  access: 'platform:operate',
  body: closed({
    reason: Text(2000, {
      minLength: 1,
      description: 'Why, for the applicant.',
      examples: ['Your company is registered already. Ask its administrator for an account.'],
    }),
  }),
  changesAuthority: true,
})
