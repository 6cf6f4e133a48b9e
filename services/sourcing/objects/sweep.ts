import type { Pool } from '../../kit/db/client.ts'
import type { Log } from '../../kit/log/log.ts'
import type { Storage } from '../storage/storage.ts'
import { beginDeaths, endDeaths, postponeDeaths } from './queries.ts'

/** Removals that go on at once; each of them is a round trip to the store. */
const AT_ONCE = 16
/** What is due beyond that, or after so long, waits for the next sweep: there are others to come. */
const BATCHES_AT_MOST = 128
const LONGEST_MS = 30_000
/** What cannot be deleted now may be locked for good, and must not stand before all the others for ever. */
const POSTPONED_MS = 60 * 60 * 1000
/** What a put that was cut short left in the store is nobody's after that. */
const CUT_SHORT_MS = 24 * 60 * 60 * 1000

export interface ObjectSweep {
  sql: Pool
  storage: Storage
  log: Log
}

/**
 * Deletes the objects that nobody needs. The key is marked first, then the object goes, then the key: killed anywhere in
 * between, the next sweep does it again, and no file can have taken the object meanwhile.
 */
export async function sweepObjects({ sql, storage, log }: ObjectSweep, now: Date, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + LONGEST_MS
  const later = new Date(now.getTime() + POSTPONED_MS).toISOString()
  const failures: { key: string; err: unknown }[] = []
  for (let batch = 0; batch < BATCHES_AT_MOST && performance.now() < untilMs; batch++) {
    const dying = await beginDeaths(sql, now.toISOString(), AT_ONCE)
    const errors = await Promise.all(
      dying.map(({ object_key: key }) => storage.remove(key, signal).then(noError, (err: unknown) => ({ key, err }))),
    )
    await endDeaths(
      sql,
      dying.filter((_, n) => errors[n] === undefined),
    )
    if (signal.aborted) return
    const alive = dying.filter((_, n) => errors[n] !== undefined)
    if (alive.length > 0) await postponeDeaths(sql, alive, later)
    failures.push(...errors.filter((error) => error !== undefined))
    if (dying.length < AT_ONCE) break
  }
  const [first] = failures
  if (first)
    log.warn({ ...first, objects: failures.length }, 'objects could not be deleted; they are tried again later')
  await storage.removeIncomplete(new Date(now.getTime() - CUT_SHORT_MS), signal)
}

const noError = () => undefined
