import { SERVICES } from '../../proto/services.ts'
import { type CapturedLog, captureLog } from './captured-log.ts'
import { testDatabase } from './database.ts'
import { FIXTURE_SETTINGS } from './fixtures.ts'
import { type TestMarketplace, testMarketplace } from './marketplace.ts'
import { StatementRecorder } from './statement-recorder.ts'

/**
 * Statements that do not depend on the outcome of a request: those of event consumers and claims of jobs, and page
 * cursors, which are written after the response and not again while they are unchanged.
 */
const INDEPENDENT_STATEMENT =
  /\b(bus_cursors|retry_events|processed_events|published_events|published_cursors|pg_snapshot_xmin|page_cursors|job_turns)\b/

/** The statements of the pools of all services. The bus, and sessions that wait, have connections of other names. */
export class StatementLog {
  readonly #recorder: StatementRecorder

  constructor(recorder: StatementRecorder) {
    this.#recorder = recorder
  }

  /** The statements of all services since the last call, sorted. */
  take(): string[] {
    return SERVICES.flatMap((service) => this.#recorder.take(service).map((text) => `${service}: ${text}`))
      .filter((text) => !INDEPENDENT_STATEMENT.test(text))
      .sort()
  }
}

/** A marketplace whose statements and log lines are recorded. */
export async function recordedMarketplace(): Promise<{
  market: TestMarketplace
  statements: StatementLog
  log: CapturedLog
}> {
  const db = await testDatabase()
  const recorder = new StatementRecorder(db.name)
  const log = captureLog()
  const settings = { ...FIXTURE_SETTINGS, LOG_LEVEL: 'info' }
  const market = await testMarketplace(settings, db, { logDestination: log.destination, hasWorkers: false })
  db.beforeDrop(async () => recorder.stop())
  return { market, statements: new StatementLog(recorder), log }
}

/**
 * The multiset intersection of two lists. Of the statements recorded during two equal requests, it keeps those of the
 * requests and drops those of workers.
 */
export function common(known: string[] | undefined, seen: string[]): string[] {
  if (!known) return seen
  const left = [...seen]
  return known.filter((text) => {
    const at = left.indexOf(text)
    if (at !== -1) left.splice(at, 1)
    return at !== -1
  })
}
