import { SERVICES, type ServiceName } from '../../proto/services.ts'
import { type CapturedLog, captureLog } from './captured-log.ts'
import { testDatabase } from './database.ts'
import { FIXTURE_SETTINGS } from './fixtures.ts'
import { type TestMarketplace, testMarketplace } from './marketplace.ts'
import { StatementProxy } from './statement-proxy.ts'

/** What consumers of events look after at their own pace, in tables that no request touches. */
const OF_CONSUMERS =
  /\b(bus_cursors|retry_events|processed_events|published_events|published_cursors|pg_snapshot_xmin)\b/

/** The taps of all services, each between its pool and Postgres. The bus has connections of its own and passes by. */
export class StatementLog {
  readonly #taps: ReadonlyMap<ServiceName, StatementProxy>

  constructor(taps: ReadonlyMap<ServiceName, StatementProxy>) {
    this.#taps = taps
  }

  /** What was executed since the last call, by whichever service, in the order of the alphabet. */
  take(): string[] {
    return [...this.#taps]
      .flatMap(([service, tap]) => tap.take().map((text) => `${service}: ${text}`))
      .filter((text) => !OF_CONSUMERS.test(text))
      .sort()
  }
}

/** A marketplace whose statements and log lines can be looked at. */
export async function recordedMarketplace(): Promise<{
  market: TestMarketplace
  taps: StatementLog
  log: CapturedLog
}> {
  const db = await testDatabase()
  const taps = new Map(SERVICES.map((service) => [service, new StatementProxy(db.urlOf(service))] as const))
  const urls = SERVICES.flatMap((service) => [
    [`${service.toUpperCase()}_DATABASE_URL`, taps.get(service)?.url ?? ''],
    [`${service.toUpperCase()}_DATABASE_DIRECT_URL`, db.urlOf(service)],
  ])
  const log = captureLog()
  const settings = { ...FIXTURE_SETTINGS, LOG_LEVEL: 'info', ...Object.fromEntries(urls) }
  const market = await testMarketplace(settings, db, { logDestination: log.destination })
  return { market, taps: new StatementLog(taps), log }
}

/**
 * What both lists have, as often as both have it. A consumer of events may ask Postgres for something at any moment:
 * of what two equal requests caused, only this is theirs.
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
