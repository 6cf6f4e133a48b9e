import type { TestMarketplace } from '../../marketplace.ts'
import type { FileClient } from '../file-client.ts'
import type { StorageSettings } from '../storage-of.ts'

/** A store, and a marketplace that uses it. */
export interface ConformanceSetup {
  driver: 'folder' | 's3'
  market: TestMarketplace
  settings: StorageSettings
  own: FileClient
  /** Makes the store unavailable, and available again with its objects. */
  stop(): Promise<void>
  start(): Promise<void>
}
