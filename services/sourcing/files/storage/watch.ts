import type { Registry } from 'prom-client'
import type { Log } from '../../../kit/log/log.ts'
import { measuredGauges } from '../../../kit/metrics/gauges.ts'
import { every, type Worker } from '../../../kit/worker/worker.ts'
import type { Storage } from './storage.ts'

const INTERVAL_MS = 60_000

interface Watched {
  storage: Pick<Storage, 'check'>
  registry: Registry
  log: Log
}

interface StorageWatch {
  /** Checks the store at the start and then each minute. */
  worker: Worker
  /** Checks it now. Throws if it cannot be used. */
  check(): Promise<void>
}

/** Puts the result of each check of the store into a gauge, and the reason of a failure into the log. */
export function storageWatch({ storage, registry, log }: Watched): StorageWatch {
  let isUp: boolean | undefined
  const gauge = measuredGauges(registry, async () => isUp)
  gauge('marketplace_storage_up', 'Whether the file store answered the last check.', [], (to, up) => {
    if (up !== undefined) to.set(up ? 1 : 0)
  })
  const check = async () => {
    try {
      await storage.check()
      if (isUp === false) log.info({}, 'the file store can be used again')
      isUp = true
    } catch (error) {
      if (isUp !== false) log.error({ err: error }, 'the file store cannot be used')
      isUp = false
      throw error
    }
  }
  return { worker: every('storage-watch', INTERVAL_MS, log, () => check().catch(() => {})), check }
}
