import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, FORM, Line, PageOf, pageQuery, pathParam, Search, Text } from '../shapes.ts'
import { roleIds } from './roles.ts'

const tag = defineTag('Users', 'Users of your organization.')
const flows = defineTag('User administration', 'Creation, change and deactivation of users.')

const EXAMPLE_ID = 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** In a domain, characters of ASCII other than letters, digits, the hyphen and the dot. */
const NOT_IN_A_DOMAIN = '\\u0000-,/:-@\\[-`{-~'

/**
 * Spaces, control and invisible characters are refused, so that different addresses look different. Quotes,
 * backslashes, angle brackets, other special characters and a dot at the end are, because mail programs drop them, so
 * that one mailbox would have many addresses.
 */
const REFUSED =
  '@<>()\\[\\],:;"\\\\\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff'

export const EMAIL_MAX_CHARACTERS = 254
export const EMAIL_PATTERN = `^[^${REFUSED}]+@[^${REFUSED}${NOT_IN_A_DOMAIN}]*[^${REFUSED}${NOT_IN_A_DOMAIN}.\\u3002\\uff0e\\uff61]$`
export const EMAIL_FORM = 'an e-mail address without invisible and special characters, and without a dot at the end'

export const EmailAddress = Text(EMAIL_MAX_CHARACTERS, {
  minLength: 3,
  pattern: EMAIL_PATTERN,
  [FORM]: EMAIL_FORM,
  description: 'E-mail address for sign-in, unique on the platform in any spelling.',
  examples: ['anders.juhl@skagen-pumps.example.com'],
})

export const person = {
  email: EmailAddress,
  givenName: Line(100, { description: 'Given name.', examples: ['Anders'] }),
  familyName: Line(100, { description: 'Family name.', examples: ['Juhl'] }),
}

const Phone = Line(40, { description: 'Telephone number.', examples: ['+45 20 12 34 56'] })

export const User = closed(
  {
    id: Type.String({ description: 'Id of the user.', examples: [EXAMPLE_ID] }),
    email: Type.String({ description: 'E-mail address.', examples: ['anders.juhl@skagen-pumps.example.com'] }),
    givenName: Type.String({ description: 'Given name.', examples: ['Anders'] }),
    familyName: Type.String({ description: 'Family name.', examples: ['Juhl'] }),
    active: Type.Boolean({ description: 'Whether the user can sign in.', examples: [true] }),
    admin: Type.Optional(
      Type.Boolean({ description: 'Whether the user is an administrator of the organization.', examples: [false] }),
    ),
    phone: Type.Optional(Type.String({ description: 'Telephone number.', examples: ['+45 20 12 34 56'] })),
  },
  { description: '`admin` and `phone` are visible to administrators and to the user.' },
)
export type User = Static<typeof User>

export const PersonInput = closed(person, { description: 'A new user.' })

/** Of requests that make an activation link. */
export const mail = Type.Boolean({
  description:
    'Whether to mail the link to the user; the response then does not contain it. Refused if the marketplace sends no mail.',
  examples: [true],
})

export const UserInput = closed({
  ...person,
  phone: Type.Optional(Phone),
  roleIds: Type.Optional(roleIds),
  mail: Type.Optional(mail),
})

export const activationUrl = Type.String({
  description:
    'Single-use link with which the user chooses a password within 72 hours. Absent if the request asked to mail it.',
  examples: ['https://marketplace.example.com/activate#mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E'],
})

export const CreatedUser = closed({ ...User.properties, activationUrl: Type.Optional(activationUrl) })
export type CreatedUser = Static<typeof CreatedUser>

export const UserPatch = closed({
  ...Type.Partial(closed(person)).properties,
  phone: Type.Optional(
    Type.Union([Phone, Type.Null()], {
      description: 'Telephone number; null removes it.',
      examples: ['+45 20 12 34 56'],
    }),
  ),
})

export const PasswordResetOptions = closed({ mail: Type.Optional(mail) })

export const PasswordReset = closed({ activationUrl: Type.Optional(activationUrl) })

/** Links of an hour to one recipient. One organization cannot use up those of the others. */
export const MAX_LINKS_PER_RECIPIENT = { ofOrganization: 3, selfService: 2, ofAll: 5 } as const
const { ofOrganization, ofAll } = MAX_LINKS_PER_RECIPIENT
export const LINK_LIMITS = `at most ${ofOrganization} links an hour from one organization, and ${ofAll} from all`

const userId = pathParam('id', 'Id of the user.', EXAMPLE_ID)

export const listUsers = defineOperation({
  id: 'listUsers',
  method: 'GET',
  path: '/v1/users',
  tag,
  summary: 'List users',
  description:
    'The users of your organization, ordered by e-mail address. The filters `admin`, `permission` and `roleId` need `org:admin`.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(
      Search(
        'Case-insensitive substring of e-mail address, given name, family name, or given and family name.',
        'juhl',
      ),
    ),
    active: Type.Optional(Type.Boolean({ description: 'Only active or only inactive users.', examples: [true] })),
    admin: Type.Optional(Type.Boolean({ description: 'Only administrators or only other users.', examples: [true] })),
    permission: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Only users with this permission through any role; an unknown permission returns none.',
        examples: ['part:create'],
      }),
    ),
    roleId: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Only users with this role.',
        examples: ['role_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
  }),
  response: PageOf(User),
  refusals: ['forbidden'],
})

export const Person = closed(
  {
    ...User.properties,
    invited: Type.Boolean({
      description:
        'Whether the person is active and has yet to choose a password with the link of an invitation or reset.',
      examples: [false],
    }),
  },
  {
    description:
      'A user that is not a service account. `admin` and `phone` are visible to administrators and to the user.',
  },
)
export type Person = Static<typeof Person>

export const listPeople = defineOperation({
  id: 'listPeople',
  method: 'GET',
  path: '/flows/v1/users',
  tag: flows,
  summary: 'List the people of your organization',
  description: 'Users other than service accounts, ordered by e-mail address.',
  access: ['org:admin', 'user:manage', 'role:manage'],
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(
      Search(
        'Case-insensitive substring of e-mail address, given name, family name, or given and family name.',
        'juhl',
      ),
    ),
    active: Type.Optional(Type.Boolean({ description: 'Only active or only inactive people.', examples: [true] })),
  }),
  response: PageOf(Person),
})

export const getUser = defineOperation({
  id: 'getUser',
  method: 'GET',
  path: '/v1/users/{id}',
  tag,
  summary: 'Get a user',
  description: 'A user of your organization. Users of other organizations are not found.',
  access: 'token',
  params: userId,
  response: User,
  etag: true,
})

export const createUser = defineOperation({
  id: 'createUser',
  method: 'POST',
  path: '/flows/v1/users',
  tag: flows,
  summary: 'Create a user',
  description: `The user is active immediately, and has no password until the link is used. With \`mail\`, the link goes to the user: ${LINK_LIMITS}.`,
  access: 'user:manage',
  body: UserInput,
  status: 201,
  response: CreatedUser,
  refusals: ['email_taken', 'limit_reached', 'mail_unavailable'],
  // Name and e-mail address are not logged, because the log is not changed when a user is anonymised.
  audit: { procedure: 'user.create', request: ['userId', 'roleIds', 'mail'] },
  changesAuthority: true,
  noStore: true,
})

export const patchUser = defineOperation({
  id: 'patchUser',
  method: 'PATCH',
  path: '/flows/v1/users/{id}',
  tag: flows,
  summary: 'Change a user',
  description: 'You must hold every permission of the user.',
  access: 'user:manage',
  params: userId,
  body: UserPatch,
  response: User,
  ifMatch: true,
  refusals: ['email_taken', 'illegal_transition'],
  audit: { procedure: 'user.patch', request: ['id', 'fields'] },
  changesAuthority: true,
})

const verb = <const V extends string>(name: V) =>
  ({
    method: 'POST',
    path: `/flows/v1/users/{id}/${name}`,
    tag: flows,
    access: 'user:manage',
    params: userId,
    changesAuthority: true,
  }) as const

export const activateUser = defineOperation({
  id: 'activateUser',
  ...verb('activate'),
  summary: 'Activate a user',
  description: 'The user can sign in again with the same password. A service account needs a new key.',
  response: User,
  refusals: ['illegal_transition'],
  audit: { procedure: 'user.activate', request: ['id'] },
})

export const deactivateUser = defineOperation({
  id: 'deactivateUser',
  ...verb('deactivate'),
  summary: 'Deactivate a user',
  description:
    'The user can no longer sign in, and their sessions end in every service within a second. They stay in the directory with their roles. The keys of a service account, those that it created for other accounts, and those of accounts that it created are revoked. The last administrator cannot be deactivated.',
  response: User,
  refusals: ['illegal_transition', 'last_administrator'],
  audit: { procedure: 'user.deactivate', request: ['id', 'endedKeyIds'] },
})

export const resetUserPassword = defineOperation({
  id: 'resetUserPassword',
  ...verb('reset-password'),
  summary: "Reset a user's password",
  description: `Voids the password, the sessions and earlier links, and returns a new link, or with \`mail\` sends it to the user: ${LINK_LIMITS}.`,
  body: PasswordResetOptions,
  bodyOptional: true,
  response: PasswordReset,
  refusals: ['illegal_transition', 'limit_reached', 'mail_unavailable'],
  audit: { procedure: 'user.resetPassword', request: ['id', 'mail'] },
  noStore: true,
})

export const resetUserPasskeys = defineOperation({
  id: 'resetUserPasskeys',
  ...verb('reset-passkeys'),
  summary: "Remove a user's passkeys",
  description:
    'For a person who lost them. Removes all passkeys, ends the sessions, and tells the person by mail. Links and impersonation grants that the person made are void. The password stays; where your organization requires a second factor, the person registers a new passkey at the next sign-in.',
  status: 204,
  refusals: ['illegal_transition'],
  audit: { procedure: 'user.resetPasskeys', request: ['id', 'removed'] },
})

export const anonymiseUser = defineOperation({
  id: 'anonymiseUser',
  ...verb('anonymise'),
  summary: 'Anonymise a user',
  description:
    'Erases e-mail address, names, telephone number, password and sessions permanently. The id remains, and the fields become `erased`. The keys of a service account, those that it created for other accounts, and those of accounts that it created are revoked. The last administrator cannot be anonymised.',
  response: User,
  refusals: ['illegal_transition', 'last_administrator'],
  audit: { procedure: 'user.anonymise', request: ['id', 'endedKeyIds'] },
})
