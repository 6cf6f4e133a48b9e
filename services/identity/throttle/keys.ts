import { fold } from '../../kit/db/fold.ts'
import { networkOf } from '../../kit/http/client-address.ts'

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
