import type { Pool } from '../../kit/db/client.ts'
import type { Storage } from '../../kit/storage/storage.ts'
import { beginDeaths, endDeath } from './queries.ts'

const AT_A_TIME = 100
/** What a put that was cut short left in the store is nobody's after that. */
const CUT_SHORT_MS = 24 * 60 * 60 * 1000

/**
 * Deletes the objects that nobody needs. The key is marked first, then the object goes, then the key: killed anywhere in
 * between, the next sweep does it again, and no file can have taken the object meanwhile.
 */
export async function sweepObjects({ sql, storage }: { sql: Pool; storage: Storage }, now: Date): Promise<void> {
  for (;;) {
    const dying = await beginDeaths(sql, now.toISOString(), AT_A_TIME)
    for (const { object_key, due_at } of dying) {
      await storage.remove(object_key)
      await endDeath(sql, object_key, due_at)
    }
    if (dying.length < AT_A_TIME) break
  }
  await storage.tidy(new Date(now.getTime() - CUT_SHORT_MS))
}
