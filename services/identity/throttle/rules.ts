import { fold } from '../../kit/db/fold.ts'
import { networkOf } from '../../kit/http/client-address.ts'

/** Failures that may happen within a minute before a key has to wait. */
export const PAIR_FAILURES_PER_MINUTE = 5
export const ADDRESS_FAILURES_PER_MINUTE = 60
export const WINDOW_SECONDS = 60
/** The first wait; each further failure doubles it, up to the longest. */
export const FIRST_WAIT_SECONDS = 60
export const LONGEST_WAIT_SECONDS = 15 * 60
/** After this long without a failure, counting starts afresh. */
export const FORGET_AFTER_SECONDS = 30 * 60

export interface ThrottleKeys {
  /** Account and address: somebody guessing one password. */
  pair: Uint8Array
  /** Address alone: somebody trying one password on many accounts. */
  address: Uint8Array
}

/**
 * What failures are counted under; the account is the name as typed, whether it exists or not, folded as the look-up in
 * Postgres folds it: another spelling of one account must not be another count. An IPv6 client is its /64 network.
 */
export function throttleKeys(account: string, address: string | undefined): ThrottleKeys {
  const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  const place = networkOf(address)
  return { pair: hash(`pair\n${fold(account)}\n${place}`), address: hash(`address\n${place}`) }
}
