import { dayOf, HOUR_MS, timeAfter } from '../../../proto/durations.ts'
import { INBOX_KINDS, type InboxKind } from '../../../proto/http/sourcing/inbox.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'
import { newId } from '../../kit/db/ids.ts'
import type { Log } from '../../kit/log/log.ts'
import { drainIn } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { countWaiting, listWaitingPackages, takeAddresses } from './inbox-queries.ts'
import { appendItems } from './item-queries.ts'
import type { Notice } from './rules.ts'

const INTERVAL_MS = 60_000
/** Packages that a summary names. */
const MAX_PACKAGES = 10
/** Addresses per transaction. */
const BATCH_SIZE = 50
/** The code of Postgres for a statement that ran too long. */
const STATEMENT_TIMEOUT = '57014'

interface InboxDeps {
  sql: Pool
  log: Log
  now: () => string
  /** Hour of the day from which summaries are sent. */
  hour: number
  delayMs: number
}

/** Sends a summary of the inbox once a day to each address that wants it, unless nothing waits. */
export const inboxMailer = ({ sql, log, now: currentTime, hour, delayMs }: InboxDeps): Worker =>
  every('inbox-mails', INTERVAL_MS, log, (signal) =>
    drainIn(
      { sql, log, now: currentTime, signal, limit: BATCH_SIZE },
      // The day of a summary begins at the hour.
      (tx, due) => takeAddresses(tx, dayOf(timeAfter(due.now, -hour * HOUR_MS)), due),
      async (tx, addresses, now) => {
        const summaries = new Map<string, Notice[]>()
        for (const orgId of new Set(addresses.map(({ org_id }) => org_id))) {
          summaries.set(orgId, await summaryOf(tx, log, orgId, now))
        }
        const mails = addresses.flatMap(({ id: recipientId, org_id: orgId }) => {
          const items = summaries.get(orgId) ?? []
          return items.length === 0 ? [] : [{ id: newId('mail'), orgId, recipientId, items }]
        })
        if (mails.length > 0) await appendItems(tx, 'address_id', mails, delayMs, now)
      },
    ),
  )

/** What waits for an organization, and the newest packages of it. Empty where nothing waits. */
async function readSummary(tx: Tx, orgId: string, time: string): Promise<Notice[]> {
  const counts = await countWaiting(tx, orgId)
  if (counts.length === 0) return []
  const packages = Map.groupBy(
    await listWaitingPackages(tx, orgId, MAX_PACKAGES),
    ({ packageId, role }) => `${packageId} ${role}`,
  )
  return [
    { kind: 'inbox', time, waiting: inOrder(counts) },
    ...[...packages.values()].flatMap((rows): Notice[] => {
      const [first] = rows
      if (!first) return []
      const { packageId, role } = first
      const waiting = inOrder(rows).map(({ kind, count }) => ({ kind, count }))
      return [{ kind: 'inboxPackage', time, packageId, role, waiting }]
    }),
  ]
}

const inOrder = <Row extends { kind: InboxKind }>(rows: readonly Row[]): Row[] =>
  INBOX_KINDS.flatMap((kind) => rows.filter((row) => row.kind === kind))

/** The summary of an organization. One whose items cannot be read gets none, so that the others get theirs. */
async function summaryOf(tx: Tx, log: Log, orgId: string, time: string): Promise<Notice[]> {
  try {
    return await tx.savepoint((part) => readSummary(part, orgId, time))
  } catch (error) {
    const isTooSlow = (error as { code?: unknown }).code === STATEMENT_TIMEOUT
    if (isDependencyFailure(error) && !isTooSlow) throw error
    log.error({ orgId, err: error }, 'the inbox of an organization could not be read; it gets no summary')
    return []
  }
}
