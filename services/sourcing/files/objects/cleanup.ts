import { DAY_MS, HOUR_MS, timeAfter } from '../../../../proto/durations.ts'
import type { Pool } from '../../../kit/db/client.ts'
import type { Log } from '../../../kit/log/log.ts'
import type { Storage } from '../storage/storage.ts'
import { finishDeletions, postponeDeletions, startDeletions } from './queries.ts'

/** Concurrent requests to the store. */
const BATCH_SIZE = 16
/** Limits of one cleanup. The next cleanup continues. */
const MAX_BATCHES = 128
const MAX_CLEANUP_MS = 30_000
/** A deletion that fails is postponed, so that it does not block later ones. */
const RETRY_DELAY_MS = HOUR_MS
/** Age at which the data of an unfinished put is deleted, far longer than any put takes. */
const INCOMPLETE_LIFETIME_MS = DAY_MS

export interface ObjectCleanup {
  sql: Pool
  storage: Storage
  log: Log
}

/**
 * Deletes objects whose deletion is due: marks the row as started, deletes the object, then the row. After a crash at
 * any point the next cleanup repeats the deletion, and no file can be assigned the object meanwhile.
 */
export async function cleanUpObjects(
  { sql, storage, log }: ObjectCleanup,
  now: string,
  signal: AbortSignal,
): Promise<void> {
  const endMs = performance.now() + MAX_CLEANUP_MS
  const retryAt = timeAfter(now, RETRY_DELAY_MS)
  const failures: { key: string; err: unknown }[] = []
  for (let batch = 0; batch < MAX_BATCHES && performance.now() < endMs; batch++) {
    const started = await startDeletions(sql, now, BATCH_SIZE)
    const results = await Promise.allSettled(started.map(({ object_key }) => storage.remove(object_key, signal)))
    const isRemoved = (_: unknown, n: number) => results[n]?.status === 'fulfilled'
    await finishDeletions(sql, started.filter(isRemoved))
    if (signal.aborted) return
    const failed = started.filter((deletion, n) => !isRemoved(deletion, n))
    if (failed.length > 0) await postponeDeletions(sql, failed, retryAt)
    for (const [n, result] of results.entries()) {
      if (result.status === 'rejected') failures.push({ key: started[n]?.object_key ?? '', err: result.reason })
    }
    if (started.length < BATCH_SIZE) break
  }
  const [first] = failures
  if (first) log.warn({ ...first, objects: failures.length }, 'objects could not be deleted and will be retried')
  await storage.removeIncomplete(new Date(Date.parse(now) - INCOMPLETE_LIFETIME_MS), signal)
}
