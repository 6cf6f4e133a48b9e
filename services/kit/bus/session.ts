import postgres from 'postgres'
import type { Pool } from '../db/client.ts'
import { pause } from '../worker/worker.ts'

/** One connection of one's own, for what a pool cannot hold: session locks and LISTEN. It never connects again. */
export interface Session {
  sql: Pool
  /** Waits for an answer, but not for ever: behind a cut cable there is none, and no error either. */
  ask<T>(answer: PromiseLike<T>): Promise<T>
  /** Aborted once the connection is gone, and every lock and LISTEN with it. */
  lost: AbortSignal
  end(): Promise<void>
}

export interface SessionOptions {
  applicationName: string
  onNotify?: (channel: string, payload: string) => void
}

const CONNECT_TIMEOUT_SECONDS = 5
/** No statement of ours is long; one that is stuck gives its session up instead of holding locks for ever. */
const STATEMENT_TIMEOUT_MS = 10_000
/** Past the statement time-out, which is what usually ends a statement that is stuck. */
const ANSWER_TIMEOUT_MS = 12_000
const KEEP_ALIVE_SECONDS = 15
/**
 * After this silence the server ends the session and frees its locks: a client whose machine is off or whose process
 * is stopped says nothing, and by default would be waited for for hours. Ours speak far more often.
 */
const IDLE_SESSION_TIMEOUT_MS = 10_000
const PING_INTERVAL_MS = 2000

/** Opens the connection, past any pooler: the URL must lead to Postgres itself. */
export async function openSession(url: string, { applicationName, onNotify }: SessionOptions): Promise<Session> {
  const lost = new AbortController()
  const options = {
    max: 1,
    max_lifetime: null,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    keep_alive: KEEP_ALIVE_SECONDS,
    connection: {
      application_name: applicationName,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_session_timeout: IDLE_SESSION_TIMEOUT_MS,
    },
    onnotice: () => {},
    onclose: () => lost.abort(),
    // Not in the driver's types: its own `listen` is built on it, but hides that a connection was lost.
    onnotify: onNotify,
  }
  const sql = postgres(url, options)
  const end = () => {
    lost.abort()
    return sql.end({ timeout: 0 })
  }
  // The driver would quietly open a new connection for the next statement, without the locks of this one.
  lost.signal.addEventListener('abort', () => void sql.end({ timeout: 0 }))
  try {
    await sql`select 1`
  } catch (error) {
    await end()
    throw error
  }
  const session: Session = { sql, ask: (answer) => withinDeadline(answer, end), lost: lost.signal, end }
  void keepAlive(session)
  return session
}

/** Speaks now and then, so that either side notices when the other is gone. */
async function keepAlive({ sql, ask, lost, end }: Session): Promise<void> {
  while (!lost.aborted) {
    await pause(PING_INTERVAL_MS, lost)
    if (!lost.aborted) await ask(sql`select 1`).catch(end)
  }
}

async function withinDeadline<T>(answer: PromiseLike<T>, giveUp: () => Promise<void>): Promise<T> {
  const deadline = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    deadline.reject(Object.assign(new Error('no answer from Postgres'), { code: 'ETIMEDOUT' }))
    void giveUp()
  }, ANSWER_TIMEOUT_MS)
  try {
    return await Promise.race([answer, deadline.promise])
  } finally {
    clearTimeout(timer)
  }
}
