import { fold } from '../../kit/db/fold.ts'
import { networkOf } from '../../kit/http/client-address.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'

export interface ThrottleKeys {
  /** Account and address, against guesses of one password. */
  pair: Uint8Array
  /** Address alone, against one password tried on many accounts. */
  address: Uint8Array
}

/** Programs and people are counted apart, so that a wrong secret keeps no person of the network from signing in. */
type Kind = 'person' | 'client'
const PURPOSES = { person: '', client: 'client\n' }

/**
 * Keys of the failure counts. The account is the user name as typed, whether it exists or not, with its case folded as
 * in Postgres so that every spelling shares one count. An IPv6 client is its /64 network.
 */
export function throttleKeys(account: string, address: string | undefined, kind: Kind = 'person'): ThrottleKeys {
  const hash = (text: string) => hashOf(`${PURPOSES[kind]}${text}`)
  const network = networkOf(address)
  return { pair: hash(`pair\n${fold(account)}\n${network}`), address: hash(`address\n${network}`) }
}
