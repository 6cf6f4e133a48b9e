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

/** Checks the store at the start and then each minute: a failure is in the log with its reason, and in a gauge. */
export function storageWatch({ storage, registry, log }: Watched): Worker {
  let isUp: boolean | undefined
  const gauge = measuredGauges(registry, async () => isUp)
  gauge('marketplace_storage_up', 'Whether the file store answered the last check.', [], (to, up) => {
    if (up !== undefined) to.set(up ? 1 : 0)
  })
  return every('storage-watch', INTERVAL_MS, log, async () => {
    const failure = await storage.check().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure !== undefined && isUp !== false) log.error({ err: failure }, 'the file store cannot be used')
    if (failure === undefined && isUp === false) log.info({}, 'the file store can be used again')
    isUp = failure === undefined
  })
}
