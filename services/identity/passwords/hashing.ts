import { LRUCache } from 'lru-cache'
import { networkOf } from '../../kit/http/client-address.ts'
import { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'

/** The argon2id parameters of the OWASP cheat sheet. A change upgrades each hash at the next sign-in. */
const PARAMETERS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

const CURRENT_PREFIX = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=1$`

interface HashingOptions {
  /** Concurrent hashes: the number of cores, because each occupies one. */
  slots: number
  /** Callers that may wait for a slot, a quarter of them from one network or organization. */
  maxWaiting: number
}

/** Longer than a full queue of the default length takes on one core. */
const MAX_WAIT_MS = 30_000
export const MAX_KNOWN_NETWORKS = 20_000
/** Consecutive failures after which a network is unknown again. */
const FORGOTTEN_AFTER_FAILURES = 5
/** The part of the queue that one network or organization may fill. */
const SHARE_OF_TENANT = 1 / 4

/** The client of a request that hashes a password. */
interface HashingClient {
  ipAddress: string | undefined
  /** Aborted when the client has disconnected, which ends its wait. */
  signal: AbortSignal
}

/** The last sign-in from a network. */
interface KnownNetwork {
  orgId: string
  /** Failures since then. */
  failures: number
}

/**
 * argon2id off the event loop, with limited concurrency and a bounded queue in which networks take turns, because a
 * password is checked before its organization is known. Networks from which a user has signed in have every second
 * turn, so that even a flood from more networks than the queue has places does not keep them out. They count as the
 * organization of that user, so that one account does not take the turns of others by signing in from many networks.
 */
export function createHashing({ slots, maxWaiting }: HashingOptions) {
  const permits = new KeyedSemaphore({
    what: 'sign-ins',
    permits: slots,
    permitsPerKey: slots,
    maxWaitMs: MAX_WAIT_MS,
    maxWaitingPerKey: Math.ceil(maxWaiting * SHARE_OF_TENANT),
    maxWaiting,
  })
  /** The networks from which a user has signed in. */
  const known = new LRUCache<string, KnownNetwork>({ max: MAX_KNOWN_NETWORKS })
  return {
    permits,
    /** Runs work in a hashing slot. It starts after the wait, so that the throttle that it reads is current. */
    withSlot: <T>({ ipAddress, signal }: HashingClient, work: () => Promise<T>): Promise<T> => {
      const network = networkOf(ipAddress)
      const lastSignIn = known.get(network)
      return lastSignIn
        ? permits.run(lastSignIn.orgId, signal, work, 'known')
        : permits.run(network, signal, work, 'unknown')
    },
    /** Records that a user of the organization has signed in from this address. */
    remember: (ipAddress: string | undefined, orgId: string) =>
      void known.set(networkOf(ipAddress), { orgId, failures: 0 }),
    /** Records a failure, so that the networks of a user who was deactivated lose their turns. */
    countFailure: (ipAddress: string | undefined) => {
      const network = networkOf(ipAddress)
      const lastSignIn = known.get(network)
      if (!lastSignIn) return
      const failures = lastSignIn.failures + 1
      if (failures < FORGOTTEN_AFTER_FAILURES) known.set(network, { ...lastSignIn, failures })
      else known.delete(network)
    },
    hash: (password: string) => Bun.password.hash(normalized(password), PARAMETERS),
    /** False for a wrong password and for a malformed hash. Never called with an empty password. */
    verify: (password: string, hash: string) => Bun.password.verify(normalized(password), hash).catch(() => false),
    isOutdated: (hash: string) => !hash.startsWith(CURRENT_PREFIX),
  }
}

export type Hashing = ReturnType<typeof createHashing>

let dummy: Promise<string> | undefined

/** Dummy hash: an unknown account takes as long as a known one. */
export function dummyHash({ hash }: Pick<Hashing, 'hash'>): Promise<string> {
  dummy ??= hash(crypto.randomUUID())
  return dummy
}

/** Keyboards produce the same password in different forms of Unicode. */
const normalized = (password: string) => password.normalize('NFC')
