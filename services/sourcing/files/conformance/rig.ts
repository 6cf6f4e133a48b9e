import type { StorageSettings } from '../../../testing/files/storage-of.ts'
import type { Uploading } from '../../../testing/files/uploading.ts'
import type { TestMarketplace } from '../../../testing/marketplace.ts'

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
