import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { RefreshTokenStore, Tokens } from './credentials.ts'

const INTERVAL_MS = 50
/** Longer than an exchange with all its retries of a busy marketplace. */
const MAX_WAIT_MS = 120_000

export interface TokenFile extends RefreshTokenStore {
  /** Keeps the refresh token of a sign-in. */
  write(refreshToken: string): Promise<void>
}

/**
 * Keeps a refresh token in a file that only its owner can read, for processes on one machine. One of them exchanges it
 * at a time, by a lock file beside it. A lock that a killed process left is reported after two minutes and never
 * broken, because two exchanges of one token end the session.
 */
export function tokenFile(path: string, { maxWaitMs = MAX_WAIT_MS }: { maxWaitMs?: number } = {}): TokenFile {
  const lock = `${path}.lock`

  /** A new file is renamed, so that no process reads half a token. */
  async function write(token: string): Promise<void> {
    const written = `${path}.${crypto.randomUUID()}`
    await writeFile(written, token, { mode: 0o600 })
    await rename(written, path)
  }

  async function acquire(): Promise<void> {
    for (const deadline = Date.now() + maxWaitMs; ; await new Promise((wake) => setTimeout(wake, INTERVAL_MS))) {
      try {
        return await (await open(lock, 'wx', 0o600)).close()
      } catch (error) {
        if ((error as { code?: string }).code !== 'EEXIST') throw error
        if (Date.now() >= deadline) throw new Error(`${lock} is held: remove it if its process has ended.`)
      }
    }
  }

  async function exchange(use: (refreshToken: string) => Promise<Tokens>): Promise<Tokens> {
    await acquire()
    try {
      const tokens = await use((await readFile(path, 'utf8')).trim())
      if (tokens.refreshToken !== undefined) await write(tokens.refreshToken)
      return tokens
    } finally {
      await rm(lock, { force: true })
    }
  }

  return { write, exchange }
}
