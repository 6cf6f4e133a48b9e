import { type Static, Type } from '@sinclair/typebox'
import { CASE } from '../../states/cases.ts'
import { listOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, FORM, Id, Ids, Text } from '../shapes.ts'
import { Case, caseId, casesTag } from './cases.ts'

/** Maximum number of messages of one organization in a case. */
export const MAX_MESSAGES = 2500
/** Documents of one message. */
const MAX_MESSAGE_FILES = 20

const EXAMPLE_ID = 'message_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_FILE = 'file_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const text = Text(10_000, {
  minLength: 1,
  // At least one character that is not white space.
  pattern: '\\S',
  [FORM]: 'a text that is not blank',
  description: 'Text of the message.',
  examples: ['The flange may be up to 0.2 mm thicker, see the photo.'],
})
const fileIds = Ids('a document', EXAMPLE_FILE, {
  maxItems: MAX_MESSAGE_FILES,
  description: 'Documents of the case that the message is about.',
})

export const CaseMessageInput = closed({
  text,
  fileIds: Type.Optional({
    ...fileIds,
    description: 'Documents that your organization has added to the case; duplicates are removed.',
  }),
})

export const CaseMessage = closed(
  {
    id: Type.String({ description: 'Id of the message.', examples: [EXAMPLE_ID] }),
    caseId: Type.String({ description: 'Its case.', examples: ['case_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    authorOrgId: Type.String({
      description: 'Organization that wrote the message.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    authorUserId: Type.Optional(
      Type.String({
        description: 'User who wrote the message; only for its own organization, until the user is anonymised.',
        examples: ['user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
    text,
    fileIds: { ...fileIds, description: 'Documents of the case that the message is about, also removed ones.' },
    createdTime: DateTime('Time of the message. Each message of a case has a later one.'),
  },
  { description: 'A message to the parties of a case. It is never changed.' },
)
export type CaseMessage = Static<typeof CaseMessage>

const path = '/flows/v1/cases/{id}/messages'

export const listCaseMessages = defineOperation({
  ...listOf(CaseMessage),
  id: 'listCaseMessages',
  path,
  tag: casesTag,
  summary: "List a case's messages",
  description: 'For every party to the case, newest first. Listing them does not mark them as read.',
  access: 'case:read',
  params: caseId,
})

export const createCaseMessage = defineOperation({
  id: 'createCaseMessage',
  method: 'POST',
  path,
  tag: casesTag,
  summary: 'Write a message',
  description: `${CASE.sentence('edit')} The parties receive \`cases.updated\`. A message is never changed or removed. An organization writes at most ${MAX_MESSAGES} messages in a case.`,
  transition: CASE.verbs.edit,
  access: 'case:manage',
  params: caseId,
  body: CaseMessageInput,
  status: 201,
  response: CaseMessage,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: { procedure: 'case.message.create', request: ['id', 'messageId', 'fileIds'] },
})

export const ReadCaseInput = closed(
  {
    messageId: Type.Optional(Id('The last message that was read. Default: the newest one.', EXAMPLE_ID)),
  },
  { description: 'Up to which message the case was read.' },
)

export const readCase = defineOperation({
  id: 'readCase',
  method: 'POST',
  path: '/flows/v1/cases/{id}/read',
  tag: casesTag,
  summary: 'Mark messages as read',
  description:
    'For your organization as a whole, in any state of the case. A message cannot be marked as unread again. Not visible to other parties.',
  access: 'case:read',
  params: caseId,
  body: ReadCaseInput,
  bodyOptional: true,
  response: Case,
  etag: true,
  audit: { procedure: 'case.read', request: ['id', 'messageId'] },
})
