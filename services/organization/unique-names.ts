import { refuseTaken } from '../kit/db/failures.ts'
import { refuse } from '../kit/errors/refusal.ts'

/** 409 for a name that is taken. `record`: the kind of record, such as "business unit". */
export const nameTaken = (record: string) =>
  refuse('conflict', {
    errors: [{ field: 'name', message: `is the name of another ${record}` }],
    scimType: 'uniqueness',
  })

/** Makes a violation of the unique index of the names a 409. */
export const refuseTakenName = ({ record, index }: { record: string; index: string }) =>
  refuseTaken(index, () => nameTaken(record))
