import { INBOX_KINDS, type InboxKind } from '../../../proto/http/sourcing/inbox.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import type { Log } from '../../kit/log/log.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { countWaiting, takeAddresses } from './inbox-queries.ts'
import { appendItems } from './item-queries.ts'
import { MAIL_EXPIRY_MS } from './rules.ts'

const INTERVAL_MS = 60_000
const HOUR_MS = 60 * 60 * 1000
/** Addresses per transaction. */
const BATCH_SIZE = 50
/** The code of Postgres for a statement that ran too long. */
const STATEMENT_TIMEOUT = '57014'

interface InboxDeps {
  sql: Pool
  log: Log
  clock: () => number
  /** Hour of the day from which summaries are sent. */
  hour: number
  delayMs: number
}

/** Sends a summary of the inbox once a day to each address that wants it, unless nothing waits. */
export const inboxMailer = (deps: InboxDeps): Worker =>
  every('inbox-mails', INTERVAL_MS, deps.log, async (signal) => {
    while (!signal.aborted && (await sendNext(deps))) {}
  })

/** Sends the next summaries. Returns whether there may be more. */
const sendNext = ({ sql, log, clock, hour, delayMs }: InboxDeps): Promise<boolean> =>
  sql.begin(async (tx) => {
    const nowMs = clock()
    const now = timeAt(nowMs)
    // The day of a summary begins at the hour.
    const addresses = await takeAddresses(tx, timeAt(nowMs - hour * HOUR_MS).slice(0, 10), BATCH_SIZE)
    if (addresses.length === 0) return false
    const waitingFor = new Map<string, Waiting>()
    for (const orgId of new Set(addresses.map(({ org_id }) => org_id))) {
      waitingFor.set(orgId, await readWaiting(tx, log, orgId))
    }
    const mails = addresses.flatMap(({ id: recipientId, org_id: orgId }) => {
      const waiting = waitingFor.get(orgId) ?? []
      if (waiting.length === 0) return []
      return [{ id: newId('mail'), orgId, recipientId, items: [{ kind: 'inbox' as const, time: now, waiting }] }]
    })
    const times = { now, due: timeAt(nowMs + delayMs), expires: timeAt(nowMs + MAIL_EXPIRY_MS) }
    if (mails.length > 0) await appendItems(tx, 'address_id', mails, times)
    return addresses.length === BATCH_SIZE
  })

type Waiting = { kind: InboxKind; count: number }[]

/** What waits for an organization. One whose items cannot be read gets no summary, so that the others get theirs. */
async function readWaiting(tx: Tx, log: Log, orgId: string): Promise<Waiting> {
  try {
    const counts = await tx.savepoint((part) => countWaiting(part, orgId))
    return INBOX_KINDS.flatMap((kind) => counts.filter((row) => row.kind === kind))
  } catch (error) {
    const isTooSlow = (error as { code?: unknown }).code === STATEMENT_TIMEOUT
    if (isDependencyFailure(error) && !isTooSlow) throw error
    log.error({ orgId, err: error }, 'the inbox of an organization could not be read; it gets no summary')
    return []
  }
}

const timeAt = (ms: number) => new Date(ms).toISOString()
