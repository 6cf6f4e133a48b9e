import type { Pool, Tx } from '../kit/db/client.ts'
import { isUniqueViolation } from '../kit/db/failures.ts'
import { refuse } from '../kit/errors/refusal.ts'

/** 409 for a name that another record of the organization has, such as "business unit". */
export const nameTaken = (record: string) =>
  refuse('conflict', { errors: [{ field: 'name', message: `is the name of another ${record}` }] })

/** Runs a transaction. A violation of the unique index of the names is 409. */
export const withUniqueName = <T>(
  sql: Pool,
  { record, index }: { record: string; index: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  (sql.begin(work) as Promise<T>).catch((error) => {
    throw isUniqueViolation(error, index) ? nameTaken(record) : error
  })
