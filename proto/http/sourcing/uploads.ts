import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, OneOf, pathParam, Text } from '../shapes.ts'

const tag = defineTag('Uploads', 'Where to send the bytes of a file.')
export const filesTag = defineTag(
  'Files (beyond the specification)',
  'The addresses that uploads and downloads lead to.',
)

export const EXAMPLE_UPLOAD_ID = 'upload_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/**
 * No path, no control characters (those that turn the direction of writing around among them, which make a program look
 * like a drawing), not `.` or `..`, and at least one character to be seen.
 */
const FILE_NAME =
  '^(?!\\.{1,2}$)(?=[^]*[^\\s\\u00ad\\u180e\\u200b-\\u200f\\u2060-\\u206f\\u3164\\uffa0])[^\\u0000-\\u001f\\u007f-\\u009f/\\\\\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$'

export const FileName = (description: string) =>
  Text(255, { minLength: 1, pattern: FILE_NAME, description, examples: ['impeller.stl'] })

export const CreateUploadInput = closed({
  name: FileName('What the file is called: 1 to 255 characters without slash, backslash or control character.'),
  public: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether anybody may have the file, by an address that lasts. Default false.',
      examples: [false],
    }),
  ),
})
export type CreateUploadInput = Static<typeof CreateUploadInput>

export const Upload = closed({
  id: Type.String({ description: 'Id of the upload, to add the file to a part with.', examples: [EXAMPLE_UPLOAD_ID] }),
  uploadUrl: Type.String({
    description: 'Where to send the bytes, at most 512 MiB, with the method and headers named here. Works once.',
    examples: [`https://storage.example.com/files/${EXAMPLE_UPLOAD_ID}?signature=…`],
  }),
  method: OneOf(['PUT'], { description: 'Method to send the bytes with.', examples: ['PUT'] }),
  headers: Type.Record(Type.String(), Type.String({ description: 'Value of the header.', examples: ['*'] }), {
    description: 'Headers that have to be sent along.',
    examples: [{ 'if-none-match': '*' }],
  }),
  expireTime: DateTime('Until when the bytes can be sent and the upload added to a part.'),
})
export type Upload = Static<typeof Upload>

export const createUploadUrl = defineOperation({
  id: 'createUploadUrl',
  method: 'POST',
  path: '/v1/uploads',
  tag,
  summary: 'Request an upload URL',
  description: 'Send the bytes there within 24 hours, then add the upload to a part; what nobody added is deleted.',
  access: 'file:write',
  body: CreateUploadInput,
  response: Upload,
  noStore: true,
  refusals: ['limit_reached'],
  audit: { procedure: 'upload.create', request: ['name', 'public'] },
})

const signed = {
  expires: Type.Integer({
    minimum: 0,
    maximum: 99_999_999_999,
    description: 'Until when the address holds, in seconds since 1970.',
    examples: [1_777_454_400],
  }),
  signature: Type.String({ maxLength: 128, description: 'What makes the address good.', examples: ['c2lnbmF0dXJl'] }),
}

/** The name and type that an address to download from carries. */
export const signedDownload = {
  ...signed,
  name: Type.String({ maxLength: 1024, description: 'What the file is saved as.', examples: ['impeller.stl'] }),
  type: Type.String({ maxLength: 255, description: 'Type of the file.', examples: ['model/stl'] }),
}

export const putUpload = defineOperation({
  id: 'putUpload',
  method: 'PUT',
  path: '/files/uploads/{id}',
  tag: filesTag,
  summary: 'Send the bytes of an upload',
  description: 'The address of an upload where files are kept in a folder; with S3 the bytes go to the store itself.',
  access: 'public',
  params: pathParam('id', 'Id of the upload.', EXAMPLE_UPLOAD_ID),
  query: Type.Object(signed),
  takesBytes: true,
  status: 204,
  refusals: ['forbidden', 'not_found', 'conflict', 'payload_too_large'],
})
