import type { Account, Fixtures, Kind } from '../fixtures.ts'
import type { RecordName } from '../records.ts'
import type { Input, Place } from './inputs.ts'

/** A private record that a request names, and what an account is answered that names one of its own. */
export interface PrivateReference {
  record: RecordName
  /** Status for naming one's own. Default: success for who holds the operation's permission, else 403. */
  own?: (account: Account) => number | undefined
}

/**
 * What an identifier means: a private record (or several kinds of one, each probed); `shared` names the same for
 * everybody, as a catalog entry does; `credential` opens something for whoever has it.
 */
export type Reference = RecordName | PrivateReference | (RecordName | PrivateReference)[] | 'shared' | 'credential'

/** What the tests of all operations have to know of one that its document does not tell. */
export interface OperationCase {
  /** Whose administrator succeeds with it. Default: the owner's. */
  by?: Kind
  /** Each right request hashes a password: tests of many requests send fewer. */
  costly?: boolean
  /** Where identifiers stand and what they name. An operation with an identifier that is not here fails its tests. */
  references?: Record<Place, Reference>
  /** Values for which the examples of the document do not stand, made anew for each request. */
  values?: (fixtures: Fixtures, account: Account) => Promise<Record<Place, unknown>> | Record<Place, unknown>
  /**
   * An input that meets a 409; needed where the document has one that is not about an Idempotency-Key. `race`: of two
   * equal requests at once, one does.
   */
  conflict?: 'race' | ((fixtures: Fixtures, account: Account, input: Input) => Promise<Input> | Input)
}
