import { Type } from '@sinclair/typebox'
import { readConfig } from '../../kit/config/read.ts'
import { createLog } from '../../kit/log/log.ts'
import { cleanUpObjects as cleanup, type ObjectCleanup } from '../../sourcing/files/objects/cleanup.ts'
import { storageVariables } from '../../sourcing/files/storage/config.ts'
import { createStorage } from '../../sourcing/files/storage/create.ts'
import type { Storage } from '../../sourcing/files/storage/storage.ts'

export interface StorageSettings {
  variables: Record<string, string>
  publicUrl: string
  encryptionKeys: string
}

/** The store that a service creates with these variables. */
export function storageOf(settings: StorageSettings, clock: () => number = Date.now): Storage {
  const { variables, publicUrl, encryptionKeys } = settings
  const config = { PUBLIC_URL: publicUrl, ENCRYPTION_KEYS: encryptionKeys }
  return createStorage(readConfig(Type.Object(storageVariables), variables), { config, clock })
}

const log = createLog({ service: 'sourcing', version: '0', level: 'silent' })

/** One cleanup at this time, without log output. */
export const cleanUpObjects = (deps: Omit<ObjectCleanup, 'log'>, now: Date): Promise<void> =>
  cleanup({ ...deps, log }, now.toISOString(), new AbortController().signal)
