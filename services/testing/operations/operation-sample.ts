import type { Permission } from '../../../proto/permissions.ts'
import type { Account, Fixtures, Kind } from '../fixtures.ts'
import { type RecordName, recordKind } from '../records.ts'
import { type Input, type Place, withValue } from './inputs.ts'

/** A private record in a request, and the status for an account that owns it. */
export interface PrivateReference {
  record: RecordName
  /** The status for a record of the account. Default: success with the permission of the operation, else 403. */
  own?: (account: Account) => number | undefined
}

/**
 * The meaning of an identifier: one or several kinds of private record; `shared` records, such as catalog entries, are
 * visible to all organizations; a `credential` grants access by itself.
 */
export type Reference = RecordName | PrivateReference | (RecordName | PrivateReference)[] | 'shared' | 'credential'

/** The data that the tests of all operations need in addition to the document. */
export interface OperationSample {
  /** Kind of organization whose administrator succeeds. Default: owner. */
  by?: Kind
  /** The kinds of organization that have the role which the operation needs; 409 for others. Default: all. */
  kinds?: readonly Kind[]
  /** Each valid request hashes a password, so tests send fewer requests. */
  costly?: boolean
  /** The permission that each view of a list needs. */
  views?: Record<string, Permission>
  /** The identifiers by place. A test fails for an operation with an identifier that is missing here. */
  references?: Record<Place, Reference>
  /** Values that differ from the examples of the document, created for each request. */
  values?: (fixtures: Fixtures, account: Account) => Promise<Record<Place, unknown>> | Record<Place, unknown>
  /**
   * An input that results in a 409; required if the operation has a 409 other than for an Idempotency-Key. `race`: one
   * of two equal concurrent requests is refused.
   */
  conflict?: 'race' | ((fixtures: Fixtures, account: Account, input: Input) => Promise<Input> | Input)
}

/** A record of the account that does not fit the rest of the request: `status` with one of the permissions. */
export const unfit = (record: RecordName, status: number, ...anyOf: Permission[]): PrivateReference => ({
  record,
  own: ({ permissions }) => (anyOf.some((permission) => permissions.has(permission)) ? status : undefined),
})

/** The status for accounts without the permission. */
export const without = (permission: Permission, status: number) => (account: Account) =>
  account.permissions.has(permission) ? undefined : status

/** The account, or the administrator of the first kind of organization that can have such records. */
export async function makerOf(record: RecordName, fixtures: Fixtures, account: Account): Promise<Account> {
  const { owners } = recordKind(record)
  return owners.includes(account.kind) ? account : fixtures.account(owners[0] as Kind, 'administrator')
}

/** Replaces the record at a place by another one of the account. */
export const withAnother =
  (place: Place, record: RecordName) => async (fixtures: Fixtures, account: Account, input: Input) =>
    withValue(input, place, await recordKind(record).make(fixtures, account))
