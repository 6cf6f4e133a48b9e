import { recordSuccess } from '../../kit/audit/record.ts'
import type { Trail } from '../../kit/audit/trail.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { isUniqueViolation } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import { refuse } from '../../kit/http/refusal.ts'
import { insertBusinessUnit } from './queries.ts'

/** A part of the caller's organization that parts can be filed under. */
export function createBusinessUnit(sql: Pool, caller: Caller, trail: Trail, name: string, now: string) {
  return sql
    .begin(async (tx) => {
      const businessUnitId = newId('bu')
      await insertBusinessUnit(tx, { id: businessUnitId, orgId: caller.orgId, name }, now)
      await recordSuccess(tx, trail)
      return { businessUnitId }
    })
    .catch((error) => {
      if (!isUniqueViolation(error)) throw error
      throw refuse('conflict', { errors: [{ field: 'name', message: 'is the name of another business unit' }] })
    })
}
