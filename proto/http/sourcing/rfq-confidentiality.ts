import { type Static, Type } from '@sinclair/typebox'
import { RFQ } from '../../states/rfqs.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Int32 } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { manufacturerIds, Rfq, rfqId } from './rfqs.ts'

const tag = defineTag(
  'RFQ confidentiality',
  'Terms that invited manufacturers accept before they read an RFQ, and the release of its confidential files.',
)

const verb = verbsOf({
  name: 'rfq',
  table: RFQ,
  path: '/flows/v1/rfqs/{id}',
  tag,
  params: rfqId,
  response: Rfq,
})

export const acceptRfqTerms = defineOperation({
  ...verb('acceptTerms', {
    note: 'Accepts the `confidentialityTerms` for your organization, with your user and address. Until then an invited manufacturer reads only the title, material type, process and quantities.',
  }),
  summary: "Accept an RFQ's confidentiality terms",
  access: 'offer:create',
})

export const releaseRfqFiles = defineOperation({
  ...verb('releaseFiles', {
    logged: ['manufacturerIds'],
    note: "For manufacturers that have accepted the terms and have not declined. They can read the files of group `ip` of the pinned revision, and after an amendment those that the amended revision still lists, until the RFQ is AWARDED or CANCELLED, or for 30 days after it was CLOSED; the winner until its order is no longer PLACED. An IP owner that is invited to another organization's RFQ releases nothing.",
  }),
  summary: 'Release confidential files for quoting',
  access: 'part:update',
  body: closed({ manufacturerIds: { ...manufacturerIds, minItems: 1 } }),
})

export const withdrawRfqFiles = defineOperation({
  ...verb('withdrawFiles', {
    logged: ['manufacturerIds'],
    note: 'Ends the release of `releaseFiles` and of the publication. Without `manufacturerIds` for every manufacturer.',
  }),
  summary: 'Withdraw confidential files',
  access: 'part:update',
  body: closed({ manufacturerIds: Type.Optional({ ...manufacturerIds, minItems: 1 }) }),
  bodyOptional: true,
})

export const RfqAcceptance = closed({
  manufacturerOrgId: Type.String({
    description: 'Organization that accepted the terms.',
    examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'],
  }),
  acceptedTime: DateTime('Time of the acceptance.'),
  termsSha256: Type.String({
    description: 'SHA-256 of the accepted text in UTF-8: 64 hexadecimal digits.',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  filesReleasedTime: Type.Optional(
    DateTime('Time of the release of the files of group `ip`. Absent where the organization cannot read them.'),
  ),
  filesReleasedRevision: Type.Optional(
    Int32(
      'Revision of the part whose files of group `ip` are released. Files that are new in a later `partRevision` of the RFQ need a new release.',
      2,
      { minimum: 1 },
    ),
  ),
  userId: Type.Optional(
    Type.String({
      description: 'User who accepted the terms. Only for the organization itself, until the user is anonymised.',
      examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
  ),
  ipAddress: Type.Optional(
    Type.String({
      description: 'Address of the request. Only for the organization itself, until the user is anonymised.',
      examples: ['192.0.2.17'],
    }),
  ),
})
export type RfqAcceptance = Static<typeof RfqAcceptance>

export const listRfqAcceptances = defineOperation({
  ...listOf(RfqAcceptance),
  id: 'listRfqAcceptances',
  path: '/flows/v1/rfqs/{id}/acceptances',
  tag,
  summary: 'List acceptances of confidentiality terms',
  description:
    'Newest first. Consumer and IP owner see all; an invited manufacturer, and an IP owner that is invited itself, only its own.',
  access: 'token',
  params: rfqId,
})
