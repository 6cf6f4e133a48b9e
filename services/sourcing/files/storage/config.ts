import { type Static, Type } from '@sinclair/typebox'
import { OneOf } from '../../../../proto/http/shapes.ts'

/** S3_ENDPOINT or FILES_FOLDER is required; with both, S3 is used. */
export const storageVariables = {
  FILES_FOLDER: Type.Optional(
    Type.String({ description: 'Folder that stores the bytes of files, on a laptop or a single server.' }),
  ),
  S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+/?$',
      description: 'URL of an S3-compatible store for the bytes of files. Takes precedence over FILES_FOLDER.',
    }),
  ),
  S3_PUBLIC_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+/?$',
      description: 'URL of the store as clients see it, if different from S3_ENDPOINT.',
    }),
  ),
  S3_BUCKET: Type.Optional(
    Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', description: 'Name of an existing bucket.' }),
  ),
  S3_REGION: Type.String({ minLength: 1, default: 'us-east-1', description: 'Region of the bucket.' }),
  S3_ACCESS_KEY_ID: Type.Optional(
    Type.String({
      secret: true,
      description:
        'Access key id for the store. Unset: provided by the platform, through IAM roles for service accounts or EKS Pod Identity.',
    }),
  ),
  S3_SECRET_ACCESS_KEY: Type.Optional(Type.String({ secret: true, description: 'Secret access key for the store.' })),
  S3_SESSION_TOKEN: Type.Optional(
    Type.String({ secret: true, description: 'Session token of a temporary access key.' }),
  ),
  AWS_ROLE_ARN: Type.Optional(Type.String({ description: 'Set by IAM roles for service accounts: the role.' })),
  AWS_WEB_IDENTITY_TOKEN_FILE: Type.Optional(
    Type.String({
      description: 'Set by IAM roles for service accounts: the token that STS exchanges for an access key.',
    }),
  ),
  AWS_ENDPOINT_URL_STS: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'Endpoint of STS, if it differs.' }),
  ),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: Type.Optional(
    Type.String({ description: 'Set by EKS Pod Identity: the address that provides an access key.' }),
  ),
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: Type.Optional(
    Type.String({ description: 'Set by EKS Pod Identity: the token for that address.' }),
  ),
  S3_ADDRESSING: OneOf(['path', 'virtual-host'], {
    default: 'path',
    description: '`path` for `endpoint/bucket`, `virtual-host` for `bucket.endpoint`.',
  }),
  S3_CA_FILE: Type.Optional(
    Type.String({ description: 'PEM file with the certificates of a private authority, trusted for the store only.' }),
  ),
  S3_CONDITIONAL_PUT: Type.Boolean({
    default: true,
    description: 'Whether the store supports `If-None-Match: *`, which makes upload URLs single use.',
  }),
}

const schema = Type.Object(storageVariables)
export type StorageConfig = Static<typeof schema>

/** The problems of variables that are missing. */
export function storageProblems(config: StorageConfig): string[] {
  if (config.S3_ENDPOINT === undefined) {
    return config.FILES_FOLDER === undefined ? ['S3_ENDPOINT or FILES_FOLDER is required.'] : []
  }
  const platform = config.AWS_WEB_IDENTITY_TOKEN_FILE ?? config.AWS_CONTAINER_CREDENTIALS_FULL_URI
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret } = config
  const usesPlatformIdentity = id === undefined && secret === undefined && platform !== undefined
  const accessKey = usesPlatformIdentity ? {} : { S3_ACCESS_KEY_ID: id, S3_SECRET_ACCESS_KEY: secret }
  const needed = { S3_BUCKET: bucket, ...accessKey }
  return Object.entries(needed)
    .filter(([, value]) => value === undefined)
    .map(([name]) => `${name} is required with S3_ENDPOINT.`)
}
