import type { Account, Fixtures } from '../fixtures.ts'
import { type RecordName, recordKind } from '../records.ts'

/** Records that belong to a user, or to a colleague of a user. */
export const PERSONAL_RECORDS: readonly RecordName[] = [
  'user',
  'colleague',
  'session',
  'colleagueSession',
  'passkey',
  'colleaguePasskey',
  'accessToken',
  'refreshToken',
  'grant',
]

/** An organization keeps only a few of these records: a new one deletes an older one. */
const REPLACED_RECORDS: readonly RecordName[] = [
  'identityProvider',
  'mailAddress',
  'mailAddressEmail',
  'webhookDelivery',
  'webhookEndpoint',
]

/**
 * A record of the account's organization for requests that leave it unchanged: those that only read, and those that are
 * refused. It is created once, because a record takes up to twenty commands.
 */
export function sharedRecord(fixtures: Fixtures, name: RecordName, account: Account): Promise<unknown> {
  const create = () => recordKind(name).make(fixtures, account)
  if (PERSONAL_RECORDS.includes(name) || REPLACED_RECORDS.includes(name)) return create()
  return fixtures.once(`${name} of ${account.kind}`, create)
}
