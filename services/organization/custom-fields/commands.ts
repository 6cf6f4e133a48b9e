import { recordSuccess } from '../../kit/audit/record.ts'
import type { Trail } from '../../kit/audit/trail.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { isUniqueViolation } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import { refuse } from '../../kit/http/refusal.ts'
import { insertCustomField, insertOption } from './queries.ts'

export interface NewCustomField {
  name: string
  /** Names of the choices, in the order in which a dropdown shows them. */
  options: string[]
}

/** A dropdown that the caller's organization adds to its parts. */
export function createCustomField(sql: Pool, caller: Caller, trail: Trail, input: NewCustomField, now: string) {
  return sql
    .begin(async (tx) => {
      const { orgId } = caller
      const fieldId = newId('field')
      const options = input.options.map((name, position) => ({ id: newId('option'), name, position }))
      await insertCustomField(tx, { id: fieldId, orgId, name: input.name }, now)
      for (const option of options) await insertOption(tx, { ...option, orgId, fieldId })
      await recordSuccess(tx, trail)
      return { fieldId, options }
    })
    .catch((error) => {
      if (!isUniqueViolation(error)) throw error
      throw refuse('conflict', { errors: [{ field: 'name', message: 'is taken' }] })
    })
}
