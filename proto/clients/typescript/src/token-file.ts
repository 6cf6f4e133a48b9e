import { rmSync } from 'node:fs'
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { RefreshTokenStore, Tokens } from './credentials.ts'

const INTERVAL_MS = 50
/** Several processes may wait for each other; an exchange ends within 13 seconds. */
const MAX_WAIT_MS = 120_000

/** A signal waits so long for a running exchange, because its new token would otherwise be lost. */
const LAST_WAIT_MS = 2000
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface TokenFile extends RefreshTokenStore {
  /** Keeps the refresh token of a sign-in, after a running exchange. */
  write(refreshToken: string): Promise<void>
}

/**
 * Keeps a refresh token in a file that only its owner can read, for processes on one machine. One of them exchanges it
 * at a time, by a lock file beside it. A lock that a killed process left is reported after two minutes and never
 * broken, because two exchanges of one token end the session.
 */
export function tokenFile(path: string, { maxWaitMs = MAX_WAIT_MS }: { maxWaitMs?: number } = {}): TokenFile {
  const lock = `${path}.lock`

  const read = async () => (await readFile(path, 'utf8')).trim()

  /** A new file is renamed, so that no process reads half a token. */
  async function replace(token: string): Promise<void> {
    const written = `${path}.${crypto.randomUUID()}`
    await writeFile(written, token, { mode: 0o600 })
    await rename(written, path)
  }

  async function acquire(): Promise<void> {
    for (const deadline = Date.now() + maxWaitMs; ; await new Promise((wake) => setTimeout(wake, INTERVAL_MS))) {
      try {
        const handle = await open(lock, 'wx', 0o600)
        hold(lock)
        return await handle.close()
      } catch (error) {
        if ((error as { code?: string }).code !== 'EEXIST') throw error
        if (Date.now() >= deadline) throw new Error(`${lock} is held: remove it if its process has ended.`)
      }
    }
  }

  async function withLock<T>(work: () => Promise<T>): Promise<T> {
    await acquire()
    try {
      return await work()
    } finally {
      await rm(lock, { force: true })
      letGo(lock)
    }
  }

  const exchange = (use: (refreshToken: string) => Promise<Tokens>) =>
    withLock(async () => {
      const used = await read()
      const tokens = await use(used)
      // A sign-out may have removed the file meanwhile, and another program may have replaced its token.
      const isCurrent = used === (await read().catch(() => undefined))
      if (tokens.refreshToken !== undefined && isCurrent) await replace(tokens.refreshToken)
      return tokens
    })

  return { write: (token) => withLock(() => replace(token)), exchange }
}

/** The locks that this process holds. */
const held = new Set<string>()
let received: NodeJS.Signals | undefined
let lastWait: ReturnType<typeof setTimeout> | undefined

/**
 * A signal that would end the process waits for its exchanges, at most for two seconds, and leaves no lock. A second
 * one ends it at once. A program with a handler of its own decides itself when it ends.
 */
function receive(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  if (received) {
    endNow()
  } else {
    received = signal
    lastWait = setTimeout(endNow, LAST_WAIT_MS)
  }
}

function endNow(): void {
  for (const lock of held) rmSync(lock, { force: true })
  held.clear()
  stopReceiving()
}

function hold(lock: string): void {
  if (held.size === 0) for (const signal of ENDING_SIGNALS) process.on(signal, receive)
  held.add(lock)
}

function letGo(lock: string): void {
  if (held.delete(lock) && held.size === 0) stopReceiving()
}

function stopReceiving(): void {
  clearTimeout(lastWait)
  for (const signal of ENDING_SIGNALS) process.off(signal, receive)
  // Without a handler, the signal ends the process as it would have at once.
  if (received && process.listenerCount(received) === 0) process.kill(process.pid, received)
}
