import { type Static, Type } from '@sinclair/typebox'
import { FILE_STATES } from '../../states/files.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Id, Ids, ItemsOf, OneOf, pathParam } from '../shapes.ts'
import { partsTag } from './parts.ts'
import { renderedFields } from './previews.ts'
import { EXAMPLE_UPLOAD_ID, FileName, filesTag, signedDownload } from './uploads.ts'

export const FILE_GROUPS = ['preview', 'document', 'ip', 'partDevelopment', 'development'] as const
export type FileGroup = (typeof FILE_GROUPS)[number]

/** Stable codes of the reasons for FAILED. */
export const FILE_FAILURES = [
  'too_large',
  'source_changed',
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
  description:
    'Purpose of the file. preview and document are for everyone who can read the part, partDevelopment and development only for its IP owner; ip is for the IP owner and the manufacturers to which it is released.',
  examples: ['document'],
})

export type FileState = Static<typeof FileState>
export const FileState = OneOf(FILE_STATES, {
  description:
    'PENDING until the bytes have been stored and read. The reason of FAILED is in the history of the part, and for an import in `GET /flows/v1/imports/{fileId}`.',
  examples: ['READY'],
})

/** The fields of a READY file. */
export const storedBytes = {
  size: Type.Optional(Type.Integer({ description: 'Size, in bytes.', examples: [48_284] })),
  contentType: Type.Optional(
    Type.String({ description: 'Type detected from the bytes; the name is ignored.', examples: ['model/stl'] }),
  ),
  sha256: Type.Optional(
    Type.String({
      description: 'SHA-256 of the bytes, in hexadecimal.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  ),
  downloadUrl: Type.Optional(
    Type.String({
      description: 'URL to download the file without a token, always as an attachment.',
      examples: [`https://storage.example.com/files/${EXAMPLE_FILE_ID}?signature=…`],
    }),
  ),
  urlExpireTime: Type.Optional(
    DateTime('When `downloadUrl` expires; absent for a public file, whose URL is permanent.'),
  ),
}

export const File = closed(
  {
    id: Type.String({ description: 'Id of the file.', examples: [EXAMPLE_FILE_ID] }),
    name: FileName('Name of the file.'),
    group: FileGroup,
    state: FileState,
    public: Type.Boolean({ description: 'Whether anyone with the URL may download the file.', examples: [false] }),
    createdTime: DateTime('When the file was added to the part.'),
    ...storedBytes,
    ...renderedFields,
  },
  {
    description:
      '`size`, `contentType`, `sha256` and `downloadUrl` are present if the state is READY; so is `urlExpireTime`, unless the file is public.',
  },
)
export type File = Static<typeof File>

const addition = closed({
  uploadId: Id('A completed upload of your organization.', EXAMPLE_UPLOAD_ID),
  group: FileGroup,
  name: Type.Optional(FileName('Name of the file. Default: the name of the upload.')),
})

/** Maximum number of files of a part, in any state. */
export const MAX_FILES_OF_A_PART = 200

export const UpdateFilesRequest = closed(
  {
    add: Type.Optional(
      Type.Array(addition, { maxItems: MAX_FILES_OF_A_PART, description: 'Uploads to attach to the part.' }),
    ),
    remove: Type.Optional(
      Ids('a file', EXAMPLE_FILE_ID, {
        maxItems: MAX_FILES_OF_A_PART,
        description: 'Files to remove from the part.',
      }),
    ),
  },
  { description: 'At least one file to add or remove, all or nothing.' },
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
    'Newest first, for every part that you can read, with the groups preview and document. Its IP owner sees every group. The group ip is also visible to the manufacturer of an order for which the IP owner has released it, from confirmation until delivery.',
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
  summary: 'Add and remove files of a part',
  description:
    'An upload can be added once. On S3 the file is PENDING until it has been copied and read. At most 200 files per part.',
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

const OTHER_STATUSES = {
  206: 'The requested range of the file.',
  304: 'The file matches `If-None-Match`.',
}

export const getFileObject = defineOperation({
  id: 'getFileObject',
  method: 'GET',
  path: '/files/objects/{key}',
  tag: filesTag,
  summary: 'Download a file',
  description: 'The download URL of a file in the folder store. Supports `Range`.',
  access: 'public',
  params: pathParam('key', 'Key of the object.', EXAMPLE_FILE_ID),
  query: Type.Object(signedDownload),
  ...content,
  otherStatuses: OTHER_STATUSES,
  refusals: ['forbidden', 'not_found', 'range_not_satisfiable'],
})

export const getPublicFile = defineOperation({
  id: 'getPublicFile',
  method: 'GET',
  path: '/files/public/{id}',
  tag: filesTag,
  summary: 'Download a public file',
  description: 'The permanent URL of a public file. Supports `Range`.',
  access: 'public',
  params: pathParam('id', 'Id of the file.', EXAMPLE_FILE_ID),
  ...content,
  otherStatuses: { ...OTHER_STATUSES, 302: 'Redirect to the store.' },
  refusals: ['not_found', 'range_not_satisfiable'],
})
