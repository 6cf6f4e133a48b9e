import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../proto/http/shapes.ts'

/** Where files are kept: S3_ENDPOINT or FILES_FOLDER has to be set, and the first counts where both are. */
export const storageVariables = {
  FILES_FOLDER: Type.Optional(
    Type.String({ description: 'Folder for the bytes of files, on a laptop or a single server.' }),
  ),
  S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+/?$',
      description: 'S3-compatible store for the bytes of files; takes the place of FILES_FOLDER.',
    }),
  ),
  S3_PUBLIC_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+/?$',
      description: 'Where clients reach that store, if elsewhere than we do.',
    }),
  ),
  S3_BUCKET: Type.Optional(
    Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', description: 'Bucket, which has to exist.' }),
  ),
  S3_REGION: Type.String({ minLength: 1, default: 'us-east-1', description: 'Region of the bucket.' }),
  S3_ACCESS_KEY_ID: Type.Optional(Type.String({ description: 'Access key for the store.' })),
  S3_SECRET_ACCESS_KEY: Type.Optional(Type.String({ description: 'Secret of that key.' })),
  S3_SESSION_TOKEN: Type.Optional(Type.String({ description: 'Session token of a temporary key.' })),
  S3_ADDRESSING: OneOf(['path', 'virtual-host'], {
    default: 'path',
    description: 'Where the name of the bucket stands: `endpoint/bucket` or `bucket.endpoint`.',
  }),
  S3_CA_FILE: Type.Optional(
    Type.String({ description: 'Certificates of a private authority to believe, as PEM, for the store alone.' }),
  ),
  S3_CONDITIONAL_PUT: Type.Boolean({
    default: true,
    description: 'Whether the store honours `If-None-Match: *`, which makes an upload single use there too.',
  }),
}

const schema = Type.Object(storageVariables)
export type StorageConfig = Static<typeof schema>

/** What is missing, in the words of the list of configuration mistakes. */
export function storageProblems(config: StorageConfig): string[] {
  if (config.S3_ENDPOINT === undefined) {
    return config.FILES_FOLDER === undefined ? ['S3_ENDPOINT or FILES_FOLDER is missing: where files are kept.'] : []
  }
  return (['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const)
    .filter((name) => config[name] === undefined)
    .map((name) => `${name} is missing, which S3_ENDPOINT needs.`)
}
