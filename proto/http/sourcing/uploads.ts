import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, FORM, OneOf, pathParam, Text } from '../shapes.ts'

const tag = defineTag('Uploads', 'Upload URLs for files.')
export const filesTag = defineTag('Files', 'Upload and download of file contents.')

export const EXAMPLE_UPLOAD_ID = 'upload_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/**
 * No path, no control characters (including bidirectional ones, which can disguise an extension), not `.` or `..`, and
 * at least one visible character.
 */
const FILE_NAME =
  '^(?!\\.{1,2}$)(?=[\\s\\S]*[^\\s\\u00ad\\u180e\\u200b-\\u200f\\u2060-\\u206f\\u3164\\uffa0])[^\\u0000-\\u001f\\u007f-\\u009f/\\\\\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$'

const FILE_NAME_FORM = 'a name without slash, backslash, control or bidirectional characters, not blank'

export const FileName = (description: string) =>
  Text(255, { minLength: 1, pattern: FILE_NAME, [FORM]: FILE_NAME_FORM, description, examples: ['impeller.stl'] })

export const CreateUploadInput = closed({
  name: FileName('Name of the file: 1 to 255 characters without slash, backslash or control character.'),
  public: Type.Optional(
    Type.Boolean({
      description: 'Whether anyone may download the file from a permanent URL. Default: false.',
      examples: [false],
    }),
  ),
})

export const Upload = closed({
  id: Type.String({
    description: 'Id of the upload, used to add the file to a record.',
    examples: [EXAMPLE_UPLOAD_ID],
  }),
  uploadUrl: Type.String({
    description: 'URL for the bytes, at most 512 MiB, with this method and these headers. Works once.',
    examples: [`https://storage.example.com/files/${EXAMPLE_UPLOAD_ID}?signature=…`],
  }),
  method: OneOf(['PUT'], { description: 'Method of the request.', examples: ['PUT'] }),
  headers: Type.Record(Type.String(), Type.String({ description: 'Value of the header.', examples: ['*'] }), {
    description: 'Headers of the request.',
    examples: [{ 'if-none-match': '*' }],
  }),
  expireTime: DateTime(
    'When the URL expires: after 24 hours, or earlier with the key that signed it. Sent bytes can be added for 24 hours.',
  ),
})
export type Upload = Static<typeof Upload>

export const createUploadUrl = defineOperation({
  id: 'createUploadUrl',
  method: 'POST',
  path: '/v1/uploads',
  tag,
  summary: 'Request an upload URL',
  description:
    'Send the bytes to the URL and add the upload to a part, or as a document to an RFQ, offer, order or case, within 24 hours; other uploads are deleted. A public upload cannot be added to the groups `ip`, `development` and `partDevelopment`, nor as a document.',
  access: 'file:write',
  body: CreateUploadInput,
  response: Upload,
  noStore: true,
  refusals: ['limit_reached'],
  audit: { procedure: 'upload.create', request: ['uploadId', 'name', 'public'] },
})

/** The query parameters of a signed URL. */
export const signed = {
  expires: Type.Integer({
    minimum: 0,
    maximum: 99_999_999_999,
    description: 'When the URL expires, in seconds since 1970.',
    examples: [1_777_454_400],
  }),
  signature: Type.String({ maxLength: 128, description: 'Signature of the URL.', examples: ['c2lnbmF0dXJl'] }),
}

/** The query parameters of a download URL. */
export const signedDownload = {
  ...signed,
  name: Type.String({ maxLength: 1024, description: 'Name of the file.', examples: ['impeller.stl'] }),
  type: Type.String({ maxLength: 255, description: 'Type of the file.', examples: ['model/stl'] }),
}

export const putUpload = defineOperation({
  id: 'putUpload',
  method: 'PUT',
  path: '/files/uploads/{id}',
  tag: filesTag,
  summary: 'Send the bytes of an upload',
  description:
    'The upload URL of the folder store; with S3 clients send the bytes to the store itself. Any media type is accepted.',
  access: 'public',
  params: pathParam('id', 'Id of the upload.', EXAMPLE_UPLOAD_ID),
  query: Type.Object(signed),
  acceptsBytes: true,
  status: 204,
  refusals: ['forbidden', 'not_found', 'conflict', 'payload_too_large'],
})
