import { readFileSync } from 'node:fs'
import type { StorageConfig } from './config.ts'
import { FolderStorage } from './folder/store.ts'
import { S3Storage } from './s3/store.ts'
import type { Storage } from './storage.ts'

interface StorageDeps {
  config: { PUBLIC_URL: string; ENCRYPTION_KEYS: string }
  clock: () => number
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
      accessKeyId: storage.S3_ACCESS_KEY_ID ?? '',
      secretAccessKey: storage.S3_SECRET_ACCESS_KEY ?? '',
      sessionToken: storage.S3_SESSION_TOKEN,
      addressing: storage.S3_ADDRESSING,
      ca: storage.S3_CA_FILE === undefined ? undefined : readFileSync(storage.S3_CA_FILE, 'utf8'),
      conditionalPut: storage.S3_CONDITIONAL_PUT,
      clock,
    })
  }
  if (root === undefined) throw new Error('no file store is configured')
  return new FolderStorage({ root, publicUrl: config.PUBLIC_URL, encryptionKeys: config.ENCRYPTION_KEYS, clock })
}
