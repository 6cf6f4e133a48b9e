import type { Uploading } from '../../../testing/files/uploading.ts'
import type { TestMarketplace } from '../../../testing/marketplace.ts'
import type { StorageSettings } from '../../storage/testing/storage-of.ts'

/** A store with a marketplace on it. */
export interface Rig {
  driver: 'folder' | 's3'
  market: TestMarketplace
  settings: StorageSettings
  own: Uploading
  /** Takes the store away, and brings it back with everything in it. */
  stop(): Promise<void>
  start(): Promise<void>
}
