import { refuse } from '../../kit/errors/refusal.ts'

/** Parameters of the OWASP recommendation for argon2id. After a change each hash is upgraded at the next sign-in. */
export const PARAMETERS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

const CURRENT_PREFIX = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=1$`

export interface HashingOptions {
  /** Concurrent hashes; one per core, because each occupies a core. */
  slots: number
  /** Maximum waiting callers. The next one is 429. */
  maxWaiting: number
}

/** Runs argon2id off the event loop with bounded concurrency and a bounded queue. */
export function createHashing({ slots, maxWaiting }: HashingOptions) {
  let free = slots
  const waiting: (() => void)[] = []

  /** Runs work in a slot, so that its checks are still valid when it hashes. */
  const withSlot = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else {
      if (waiting.length >= maxWaiting) {
        throw refuse('rate_limited', {
          detail: 'Too many sign-ins at the same time. Try again in a moment.',
          headers: { 'retry-after': '1' },
        })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }

  return {
    withSlot,
    hash: (password: string) => Bun.password.hash(normalized(password), PARAMETERS),
    /** False for a wrong password or an unreadable hash. The password must not be empty. */
    verify: (password: string, hash: string) => Bun.password.verify(normalized(password), hash).catch(() => false),
    isOutdated: (hash: string) => !hash.startsWith(CURRENT_PREFIX),
  }
}

export type Hashing = ReturnType<typeof createHashing>

let nobodys: Promise<string> | undefined

/** Dummy hash: an unknown account takes as long as a known one. */
export function createDummyHash({ hash }: Pick<Hashing, 'hash'>): Promise<string> {
  nobodys ??= hash(crypto.randomUUID())
  return nobodys
}

/** NFC, so that a password is the same on every keyboard. */
const normalized = (password: string) => password.normalize('NFC')
