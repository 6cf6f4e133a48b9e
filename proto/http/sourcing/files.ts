import { type Static, Type } from '@sinclair/typebox'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, ItemsOf, OneOf, pathParam } from '../shapes.ts'
import { partsTag } from './parts.ts'
import { EXAMPLE_UPLOAD_ID, FileName, filesTag, signedDownload } from './uploads.ts'

export const FILE_GROUPS = ['preview', 'document', 'ip', 'partDevelopment', 'development'] as const
export type FileGroup = (typeof FILE_GROUPS)[number]
export const FILE_STATES = ['PENDING', 'READY', 'FAILED'] as const
export type FileState = (typeof FILE_STATES)[number]

/** Why a file is FAILED: a stable word for programs. */
export const FILE_FAILURES = [
  'too_large',
  'source_changed',
  'too_slow',
  'address_refused',
  'redirected',
  'source_refused',
  'unreachable',
  'timed_out',
  'quota_reached',
] as const
export type FileFailure = (typeof FILE_FAILURES)[number]

export const EXAMPLE_FILE_ID = 'file_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_PART_ID = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const FileGroup = OneOf(FILE_GROUPS, {
  description: 'What the file is for, and with it who may see it.',
  examples: ['document'],
})

export const FileState = OneOf(FILE_STATES, {
  description:
    'PENDING until its bytes were read from end to end. Why it is FAILED stands in the history of the part, and for an import in `GET /flows/v1/imports/{fileId}`.',
  examples: ['READY'],
})

export const File = closed(
  {
    id: Type.String({ description: 'Id of the file.', examples: [EXAMPLE_FILE_ID] }),
    name: FileName('What the file is called.'),
    group: FileGroup,
    state: FileState,
    public: Type.Boolean({ description: 'Whether anybody with its address may have it.', examples: [false] }),
    createdTime: DateTime('When it was added to the part.'),
    size: Type.Optional(Type.Integer({ description: 'Size, in bytes.', examples: [48_284] })),
    contentType: Type.Optional(
      Type.String({ description: 'What its bytes look like; names are not believed.', examples: ['model/stl'] }),
    ),
    sha256: Type.Optional(
      Type.String({
        description: 'SHA-256 of its bytes, in hexadecimal.',
        examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
      }),
    ),
    downloadUrl: Type.Optional(
      Type.String({
        description: 'Where to get it without a token; always saved, never shown by a browser.',
        examples: [`https://storage.example.com/files/${EXAMPLE_FILE_ID}?signature=…`],
      }),
    ),
    urlExpireTime: Type.Optional(DateTime('Until when `downloadUrl` holds; that of a public file lasts.')),
  },
  { description: 'The last five fields come with READY.' },
)
export type File = Static<typeof File>

const addition = closed({
  uploadId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'A completed upload of your organization.',
    examples: [EXAMPLE_UPLOAD_ID],
  }),
  group: FileGroup,
  name: Type.Optional(FileName('What the file is called. Default: the name of the upload.')),
})

/** A part has no more files than this, whatever their state. */
export const MAX_FILES_OF_A_PART = 200

export const UpdateFilesRequest = closed(
  {
    add: Type.Optional(
      Type.Array(addition, { maxItems: MAX_FILES_OF_A_PART, description: 'Uploads that become files of the part.' }),
    ),
    remove: Type.Optional(
      Type.Array(
        Type.String({ minLength: 1, maxLength: 64, description: 'Id of a file.', examples: [EXAMPLE_FILE_ID] }),
        {
          maxItems: MAX_FILES_OF_A_PART,
          description: 'Files that leave the part.',
          examples: [[EXAMPLE_FILE_ID]],
        },
      ),
    ),
  },
  { description: 'At least one file to add or to remove. All of it is done, or nothing.' },
)
export type UpdateFilesRequest = Static<typeof UpdateFilesRequest>

const partId = pathParam('id', 'Id of the part.', EXAMPLE_PART_ID)

export const listPartFiles = defineOperation({
  id: 'listPartFiles',
  method: 'GET',
  path: '/v1/parts/{id}/files',
  tag: partsTag,
  summary: 'List the files of a part',
  description:
    'Newest first, those of a part that you can read. Files of the groups ip, partDevelopment and development are its IP owner’s alone.',
  access: 'token',
  params: partId,
  response: ItemsOf(File),
  noStore: true,
})

export const updatePartFiles = defineOperation({
  id: 'updatePartFiles',
  method: 'PATCH',
  path: '/v1/parts/{id}/files',
  tag: partsTag,
  summary: 'Add files to a part, and remove some',
  description:
    'An upload can be added once. A file is READY at once, or when the store has copied and read it. At most 200 files for a part.',
  access: 'file:write',
  params: partId,
  body: UpdateFilesRequest,
  status: 204,
  refusals: ['conflict', 'limit_reached'],
  audit: { procedure: 'part.updateFiles', request: ['id', 'add', 'remove'] },
})

const content = {
  response: Type.String({ description: 'The bytes.', examples: ['solid impeller'] }),
  mediaType: 'application/octet-stream',
} as const

const ANSWERS = {
  206: 'The part of the file that `Range` asks for.',
  304: 'Not modified since the `ETag` given.',
}

export const getFileObject = defineOperation({
  id: 'getFileObject',
  method: 'GET',
  path: '/files/objects/{key}',
  tag: filesTag,
  summary: 'Download a file',
  description: 'The address of a file where files are kept in a folder. Takes `Range`.',
  access: 'public',
  params: pathParam('key', 'Where the bytes are.', EXAMPLE_FILE_ID),
  query: Type.Object(signedDownload),
  ...content,
  alsoAnswers: ANSWERS,
  refusals: ['forbidden', 'not_found', 'range_not_satisfiable'],
})

export const getPublicFile = defineOperation({
  id: 'getPublicFile',
  method: 'GET',
  path: '/files/public/{id}',
  tag: filesTag,
  summary: 'Download a public file',
  description: 'The address of a public file lasts as long as the file. Takes `Range`.',
  access: 'public',
  params: pathParam('id', 'Id of the file.', EXAMPLE_FILE_ID),
  ...content,
  alsoAnswers: { ...ANSWERS, 302: 'The bytes are in the store that `Location` names.' },
  refusals: ['not_found', 'range_not_satisfiable'],
})
