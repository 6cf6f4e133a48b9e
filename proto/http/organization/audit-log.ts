import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, PageOf, pageQuery, pathParam, Search } from '../shapes.ts'

const exportTag = defineTag('Audit log export', 'The audit log as a file.')

const tag = defineTag(
  'Audit log',
  'Actions and refused attempts of the users of your organization. For administrators.',
)

export const AuditActor = closed(
  {
    id: Type.String({
      description: 'User id; always a user of your organization.',
      examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    email: Type.String({
      description: "The actor's e-mail address; `erased` when the person's data were erased.",
      examples: ['ada.berg@example.com'],
    }),
    name: Type.Optional(Type.String({ description: 'Full name when recorded.', examples: ['Ada Berg'] })),
  },
  { description: 'The user who performed the action; during an impersonation, the impersonated user.' },
)

export const AuditImpersonation = closed(
  {
    grantId: Type.String({
      description: 'Id of the impersonation grant.',
      examples: ['grant_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    actingEmail: Type.String({
      description: "Address that the grant's link was sent to.",
      examples: ['support@example.com'],
    }),
    reason: Type.String({
      description: 'Reason recorded when the grant was created.',
      examples: ['Ticket 4711: the buyer cannot find an offer'],
    }),
    grantedByEmail: Type.Optional(
      Type.String({
        description: 'E-mail address of the account owner who authorized the grant, when still resolvable.',
        examples: ['ada.berg@example.com'],
      }),
    ),
  },
  {
    description:
      'Present only when the action ran under an impersonation grant. A command that the platform operator runs on the command line counts as such an action of the affected user.',
  },
)

export const AuditImpersonationDetail = closed(
  {
    redeemedTime: Type.Optional(DateTime("When the grant's link was redeemed.")),
    redeemedIp: Type.Optional(Type.String({ description: 'IP address of redemption.', examples: ['192.0.2.17'] })),
    expireTime: Type.Optional(DateTime('When the grant expires or expired.')),
    revokedTime: Type.Optional(DateTime('Time of the revocation.')),
  },
  { description: 'Present only for an impersonated entry.' },
)

const entryFields = {
  id: Type.String({ description: 'Id of the entry.', examples: ['audit_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  timestamp: DateTime('When the action was performed.'),
  procedure: Type.String({ description: 'Name of the audited action.', examples: ['part.create'] }),
  success: Type.Boolean({ description: 'False for a refused attempt.', examples: [true] }),
  error: Type.Optional(
    Type.String({
      description: 'Reason for the refusal: the error code of the response. Present only when `success` is false.',
      examples: ['forbidden'],
    }),
  ),
  ipAddress: Type.Optional(
    Type.String({ description: 'Address of the client, when it could be resolved.', examples: ['192.0.2.17'] }),
  ),
  actor: AuditActor,
  impersonation: Type.Optional(AuditImpersonation),
}

export const AuditLogEntry = closed(entryFields)
export type AuditLogEntry = Static<typeof AuditLogEntry>

export const AuditLogEntryDetail = closed({
  ...entryFields,
  userAgent: Type.Optional(
    Type.String({ description: 'Client that sent the request, when recorded.', examples: ['curl/8.9.1'] }),
  ),
  request: Type.Optional(
    Type.Unknown({
      description: 'Validated input of the action, redacted when stored; its shape varies by `procedure`.',
      examples: [{ title: 'Impeller, cooling water pump' }],
    }),
  ),
  impersonationDetail: Type.Optional(AuditImpersonationDetail),
})
export type AuditLogEntryDetail = Static<typeof AuditLogEntryDetail>

const filters = {
  q: Type.Optional(Search("Case-insensitive substring of the action's name or the actor's e-mail address.", 'part.')),
  procedure: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Exact name of an action; an unknown name returns none.',
      examples: ['part.create'],
    }),
  ),
  actorId: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Only actions of this user.',
      examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
  ),
  impersonatedOnly: Type.Optional(
    Type.Boolean({ description: 'Only actions under an impersonation grant.', examples: [false] }),
  ),
  failedOnly: Type.Optional(Type.Boolean({ description: 'Only refused attempts.', examples: [false] })),
  hideSignIns: Type.Optional(
    Type.Boolean({ description: 'Omits successful sign-ins; refused ones are kept.', examples: [false] }),
  ),
  from: Type.Optional(DateTime('Only actions at or after this time.')),
  to: Type.Optional(DateTime('Only actions at or before this time.')),
}

const AuditFilters = Type.Object(filters)
export type AuditFilters = Static<typeof AuditFilters>

export const listAuditLog = defineOperation({
  id: 'listAuditLog',
  method: 'GET',
  path: '/v1/audit-log',
  tag,
  summary: 'List the audit log of your organization',
  description: 'Newest first. Filters can be combined.',
  access: 'org:admin',
  query: Type.Object({ ...pageQuery, ...filters }),
  response: PageOf(AuditLogEntry),
})

export const getAuditLogEntry = defineOperation({
  id: 'getAuditLogEntry',
  method: 'GET',
  path: '/v1/audit-log/{id}',
  tag,
  summary: 'Get an entry of the audit log',
  description: 'An unknown id and one outside your scope are the same 404.',
  access: 'org:admin',
  params: pathParam('id', 'Id of the entry.', 'audit_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
  response: AuditLogEntryDetail,
  etag: true,
})

export const exportAuditLog = defineOperation({
  id: 'exportAuditLog',
  method: 'GET',
  path: '/flows/v1/audit-log/export',
  tag: exportTag,
  summary: 'Export the audit log of your organization',
  description:
    'All entries that match the filters, newest first, as one JSON document per line (NDJSON), compressed if ' +
    '`Accept-Encoding` contains gzip. The response is aborted, and incomplete, if the token expires or is revoked.',
  access: 'org:admin',
  query: AuditFilters,
  response: AuditLogEntry,
  mediaType: 'application/x-ndjson',
})
