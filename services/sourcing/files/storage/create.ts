import { readFileSync } from 'node:fs'
import type { StorageConfig } from './config.ts'
import { FolderStorage } from './folder/store.ts'
import { type Credentials, platformCredentials } from './s3/credentials.ts'
import { S3Storage } from './s3/store.ts'
import type { Storage } from './storage.ts'

interface StorageDeps {
  config: { PUBLIC_URL: string; ENCRYPTION_KEYS: string }
  clock: () => number
}

function credentialsOf(storage: StorageConfig): Credentials {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = storage
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return async () => ({ accessKeyId, secretAccessKey, sessionToken: storage.S3_SESSION_TOKEN })
  }
  const identity = {
    roleArn: storage.AWS_ROLE_ARN,
    webIdentityTokenFile: storage.AWS_WEB_IDENTITY_TOKEN_FILE,
    stsEndpoint: storage.AWS_ENDPOINT_URL_STS,
    containerCredentialsUri: storage.AWS_CONTAINER_CREDENTIALS_FULL_URI,
    containerTokenFile: storage.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
  }
  return platformCredentials(identity, storage.S3_REGION)
}

/** The configured store; `storageProblems` has checked the configuration. */
export function createStorage(storage: StorageConfig, { config, clock }: StorageDeps): Storage {
  const { S3_ENDPOINT: endpoint, FILES_FOLDER: root } = storage
  if (endpoint !== undefined) {
    return new S3Storage({
      endpoint,
      publicEndpoint: storage.S3_PUBLIC_ENDPOINT ?? endpoint,
      bucket: storage.S3_BUCKET ?? '',
      region: storage.S3_REGION,
      credentials: credentialsOf(storage),
      addressing: storage.S3_ADDRESSING,
      ca: storage.S3_CA_FILE === undefined ? undefined : readFileSync(storage.S3_CA_FILE, 'utf8'),
      conditionalPut: storage.S3_CONDITIONAL_PUT,
      clock,
    })
  }
  if (root === undefined) throw new Error('no file store is configured')
  return new FolderStorage({ root, publicUrl: config.PUBLIC_URL, encryptionKeys: config.ENCRYPTION_KEYS, clock })
}
