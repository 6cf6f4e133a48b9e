import postgres from 'postgres'
import { within } from '../answers/within.ts'
import type { Pool } from '../db/client.ts'
import { credentialsOf } from '../db/password-file.ts'
import { pause } from '../worker/worker.ts'

/** A dedicated connection for session locks and LISTEN, which a pool cannot provide. It never reconnects. */
export interface Session {
  sql: Pool
  /** Awaits an answer with a deadline, because a broken network produces neither answer nor error. */
  withDeadline<T>(answer: PromiseLike<T>): Promise<T>
  /** Aborts when the connection is lost, together with its locks and LISTEN. */
  lost: AbortSignal
  end(): Promise<void>
}

interface SessionOptions {
  applicationName: string
  onNotify?: (channel: string, payload: string) => void
}

const CONNECT_TIMEOUT_SECONDS = 5
/** Statements here are short. A blocked one ends the session, which releases its locks. */
const STATEMENT_TIMEOUT_MS = 5000
/** Longer than the statement time-out, which is the usual end of a blocked statement. */
const ANSWER_TIMEOUT_MS = 6000
const KEEP_ALIVE_SECONDS = 15
/**
 * After this idle time the server ends the session and releases its locks, for clients that were stopped or whose
 * machine failed. The default of Postgres would keep the locks for hours. Sessions send pings far more often.
 */
const IDLE_SESSION_TIMEOUT_MS = 10_000
const PING_INTERVAL_MS = 2000

/** Opens the connection. The URL must point to Postgres itself, not to a pooler. */
export async function openSession(url: string, { applicationName, onNotify }: SessionOptions): Promise<Session> {
  const lost = new AbortController()
  const { address, password } = credentialsOf(url)
  const options = {
    ...(password ? { password } : {}),
    target_session_attrs: 'primary' as const,
    max: 1,
    // A session that listens sends no arrays, whose types are looked up.
    fetch_types: onNotify === undefined,
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
    // The driver's own `listen` hides the loss of a connection. `onnotify` is missing in its types.
    onnotify: onNotify,
  }
  const sql = postgres(address, options)
  const end = () => {
    lost.abort()
    return sql.end({ timeout: 0 })
  }
  // The driver would reconnect for the next statement, without the locks of this session.
  lost.signal.addEventListener('abort', () => void sql.end({ timeout: 0 }))
  try {
    await sql`select 1`
  } catch (error) {
    await end()
    throw error
  }
  const giveUp = () => {
    void end()
    return Object.assign(new Error('no answer from Postgres'), { code: 'ETIMEDOUT' })
  }
  const withDeadline: Session['withDeadline'] = (answer) => within(ANSWER_TIMEOUT_MS, answer, giveUp)
  const session = { sql, withDeadline, lost: lost.signal, end }
  void keepAlive(session)
  return session
}

/** Sends pings, so that both sides notice a broken connection. */
async function keepAlive({ sql, withDeadline, lost, end }: Session): Promise<void> {
  while (!lost.aborted) {
    await pause(PING_INTERVAL_MS, lost)
    if (!lost.aborted) await withDeadline(sql`select 1`).catch(end)
  }
}
