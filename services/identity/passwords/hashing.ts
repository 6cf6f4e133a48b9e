import { refuse } from '../../kit/errors/refusal.ts'

/** What the OWASP cheat sheet recommends for argon2id; a change upgrades each hash at its next sign-in. */
export const PARAMETERS = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

const CURRENT_PREFIX = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=1$`

export interface HashingOptions {
  /** Hashes computed at once: as many as there are cores, since each keeps one busy. */
  slots: number
  /** Callers that may wait for a slot; the next one is told to come back. */
  maxWaiting: number
}

/** argon2id off the event loop, bounded: sign-ins may queue for a moment, but never without end. */
export function createHashing({ slots, maxWaiting }: HashingOptions) {
  let free = slots
  const waiting: (() => void)[] = []

  /** Runs with a slot of its own, so that whatever it checks first holds while it computes. */
  const withSlot = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else {
      if (waiting.length >= maxWaiting) {
        throw refuse('rate_limited', {
          detail: 'Too many sign-ins at once; try again in a moment.',
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
    /** False for a wrong password and for a hash that nobody can read. Never given an empty password. */
    verify: (password: string, hash: string) => Bun.password.verify(normalized(password), hash).catch(() => false),
    isOutdated: (hash: string) => !hash.startsWith(CURRENT_PREFIX),
  }
}

export type Hashing = ReturnType<typeof createHashing>

let nobodys: Promise<string> | undefined

/** A hash of nobody's password with the live parameters, made once: an unknown account costs what a known one costs. */
export function nobodysHash({ hash }: Pick<Hashing, 'hash'>): Promise<string> {
  nobodys ??= hash(crypto.randomUUID())
  return nobodys
}

/** One spelling for one password, whichever keyboard it was typed on. */
const normalized = (password: string) => password.normalize('NFC')
