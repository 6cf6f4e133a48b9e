import type { S3StorageOptions } from '../../sourcing/files/storage/s3/store.ts'

/** For a test server that accepts every signature. */
export const s3OptionsAt = (port: number | undefined): S3StorageOptions => ({
  endpoint: `http://127.0.0.1:${port}`,
  publicEndpoint: `http://127.0.0.1:${port}`,
  bucket: 'files',
  region: 'us-east-1',
  credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }),
  addressing: 'path',
  conditionalPut: true,
  clock: Date.now,
})
