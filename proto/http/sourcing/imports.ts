import { type Static, Type } from '@sinclair/typebox'
import { defineOperation } from '../operation.ts'
import { closed, OneOf, pathParam } from '../shapes.ts'
import { EXAMPLE_FILE_ID, FILE_FAILURES, FileGroup, FileState } from './files.ts'
import { partLifecycleTag } from './part-lifecycle.ts'
import { partsTag } from './parts.ts'
import { FileName } from './uploads.ts'

const EXAMPLE_PART_ID = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const ImportFileInput = closed({
  name: FileName('What the file is called: 1 to 255 characters without slash, backslash or control character.'),
  sasUrl: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Signed URL to copy from, https at a public address. Kept encrypted, and only until it was used.',
    examples: ['https://drawings.example.com/impeller.stl?sig=c2lnbmF0dXJl'],
  }),
  group: FileGroup,
})
export type ImportFileInput = Static<typeof ImportFileInput>

export const ImportPartFileResponse = closed({
  fileId: Type.String({ description: 'Id of the file, which is PENDING.', examples: [EXAMPLE_FILE_ID] }),
})

export const Import = closed({
  fileId: Type.String({ description: 'Id of the file.', examples: [EXAMPLE_FILE_ID] }),
  state: FileState,
  receivedBytes: Type.Integer({ description: 'What has come so far, in bytes.', examples: [48_284] }),
  totalBytes: Type.Optional(
    Type.Integer({
      description: 'What is to come altogether, where the source says so, in bytes.',
      examples: [48_284],
    }),
  ),
  reason: Type.Optional(
    OneOf(FILE_FAILURES, {
      description:
        'Why it is FAILED. too_large: more than 512 MiB. address_refused: the name leads to an address that is not public. redirected: the source sends elsewhere, which is not followed. source_refused: it answers with a refusal, such as 403 or 404. unreachable: nobody answers, or with an error, in 5 tries. timed_out: it sent nothing for 30 seconds in 5 tries, or 30 minutes were not enough. too_slow: others waited, and its source was the slowest of all, in 5 tries. quota_reached: the files of your organization would have too many bytes. source_changed: an upload was overwritten, which no import is.',
      examples: ['too_large'],
    }),
  ),
})
export type Import = Static<typeof Import>

export const importPartFile = defineOperation({
  id: 'importPartFile',
  method: 'POST',
  path: '/v1/parts/{partId}/import-file',
  tag: partsTag,
  summary: 'Import a file from a signed URL',
  description:
    'Answers at once with a PENDING file; the bytes are copied within 30 minutes and 5 tries, without following redirects.',
  access: 'file:write',
  params: pathParam('partId', 'Id of the part.', EXAMPLE_PART_ID),
  body: ImportFileInput,
  response: ImportPartFileResponse,
  refusals: ['limit_reached'],
  audit: {
    procedure: 'part.importFile',
    request: ['partId', 'name', 'group', 'sasUrl'],
    hostAlone: ['sasUrl'],
  },
})

export const getImport = defineOperation({
  id: 'getImport',
  method: 'GET',
  path: '/flows/v1/imports/{fileId}',
  tag: partLifecycleTag,
  summary: 'See how far an import is',
  description: 'Of a file of your own part, as long as the file is there: what has come, and when it FAILED, why.',
  access: 'token',
  params: pathParam('fileId', 'Id of the file.', EXAMPLE_FILE_ID),
  response: Import,
  etag: true,
})
