import { type Static, Type } from '@sinclair/typebox'
import { defineOperation } from '../operation.ts'
import { closed, OneOf, pathParam } from '../shapes.ts'
import { EXAMPLE_FILE_ID, FILE_FAILURES, FileGroup, FileState } from './files.ts'
import { partLifecycleTag } from './part-lifecycle.ts'
import { partsTag } from './parts.ts'
import { FileName } from './uploads.ts'

const EXAMPLE_PART_ID = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const ImportFileInput = closed({
  name: FileName('Name of the file: 1 to 255 characters without slash, backslash or control character.'),
  sasUrl: Type.String({
    format: 'uri',
    maxLength: 2048,
    description: 'Signed https URL at a public address. Stored encrypted until the import ends.',
    examples: ['https://drawings.example.com/impeller.stl?sig=c2lnbmF0dXJl'],
  }),
  group: FileGroup,
})

export const PartFileImport = closed({
  fileId: Type.String({ description: 'Id of the PENDING file.', examples: [EXAMPLE_FILE_ID] }),
})

export const Import = closed({
  fileId: Type.String({ description: 'Id of the file.', examples: [EXAMPLE_FILE_ID] }),
  state: FileState,
  receivedBytes: Type.Integer({ description: 'Bytes received so far.', examples: [48_284] }),
  totalBytes: Type.Optional(
    Type.Integer({
      description: 'Total size in bytes, if the source states it.',
      examples: [48_284],
    }),
  ),
  reason: Type.Optional(
    OneOf(FILE_FAILURES, {
      description:
        'Reason of FAILED. too_large: more than 512 MiB. address_refused: the name resolves to an address that is not public. redirected: the source sent a redirect. source_refused: the source sent a status such as 403 or 404. unreachable: no response, or a server error, in 5 attempts. timed_out: no bytes for 30 seconds in 5 attempts, or not finished within 30 minutes. quota_reached: the files of your organization would exceed the storage limit. source_changed: an upload was overwritten; never for an import.',
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
    'Returns a PENDING file immediately. The bytes are copied within 30 minutes and 5 attempts; redirects are not followed.',
  access: 'file:write',
  params: pathParam('partId', 'Id of the part.', EXAMPLE_PART_ID),
  body: ImportFileInput,
  response: PartFileImport,
  refusals: ['limit_reached'],
  audit: {
    procedure: 'part.importFile',
    request: ['partId', 'fileId', 'name', 'group', 'sasUrl'],
    hostOnly: ['sasUrl'],
  },
})

export const getImport = defineOperation({
  id: 'getImport',
  method: 'GET',
  path: '/flows/v1/imports/{fileId}',
  tag: partLifecycleTag,
  summary: 'Get the progress of an import',
  description: 'For files of your own parts: state, received bytes, and the reason of FAILED.',
  access: 'token',
  params: pathParam('fileId', 'Id of the file.', EXAMPLE_FILE_ID),
  response: Import,
  etag: true,
})
