import { INBOX_KINDS } from '../../../proto/http/sourcing/inbox.ts'
import type { Pool } from '../../kit/db/client.ts'
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
const sendNext = ({ sql, clock, hour, delayMs }: InboxDeps): Promise<boolean> =>
  sql.begin(async (tx) => {
    const nowMs = clock()
    const now = timeAt(nowMs)
    // The day of a summary begins at the hour.
    const addresses = await takeAddresses(tx, timeAt(nowMs - hour * HOUR_MS).slice(0, 10), BATCH_SIZE)
    if (addresses.length === 0) return false
    const counts = await countWaiting(tx, [...new Set(addresses.map(({ org_id: orgId }) => orgId))])
    const mails = addresses.flatMap(({ id: recipientId, org_id: orgId }) => {
      const waiting = INBOX_KINDS.flatMap((kind) => {
        const found = counts.find((row) => row.org_id === orgId && row.kind === kind)
        return found ? [{ kind, count: found.count }] : []
      })
      if (waiting.length === 0) return []
      return [{ id: newId('mail'), orgId, recipientId, items: [{ kind: 'inbox' as const, time: now, waiting }] }]
    })
    const times = { now, due: timeAt(nowMs + delayMs), expires: timeAt(nowMs + MAIL_EXPIRY_MS) }
    if (mails.length > 0) await appendItems(tx, 'address_id', mails, times)
    return addresses.length === BATCH_SIZE
  })

const timeAt = (ms: number) => new Date(ms).toISOString()
