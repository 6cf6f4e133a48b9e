import type { AuthorizedTx, BeginCommand } from '../kit/auth/authorized.ts'
import type { Caller } from '../kit/auth/caller.ts'
import { isUniqueViolation } from '../kit/db/failures.ts'
import { refuse } from '../kit/errors/refusal.ts'

/** 409 for a name that another record of the organization has, such as "business unit". */
export const nameTaken = (record: string) =>
  refuse('conflict', { errors: [{ field: 'name', message: `is the name of another ${record}` }] })

/** Runs the transaction of a command. A violation of the unique index of the names is 409. */
export const withUniqueName = <T>(
  begin: BeginCommand,
  { record, index }: { record: string; index: string },
  work: (tx: AuthorizedTx, caller: Caller) => Promise<T>,
): Promise<T> =>
  begin(work).catch((error) => {
    throw isUniqueViolation(error, index) ? nameTaken(record) : error
  })
