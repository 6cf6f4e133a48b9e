import { HOUR_MS } from '../../../proto/durations.ts'
import type { Pool } from '../../kit/db/client.ts'
import { deleteFinished, failExpired, forgetRecipients } from './queries.ts'

/** Gives up expired and void mails, deletes finished ones, and forgets the recipients that no limit counts. */
export async function cleanUpMails(sql: Pool, retentionDays: number, now: string, signal: AbortSignal): Promise<void> {
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString()
  await failExpired(sql, now, signal)
  await forgetRecipients(sql, before(HOUR_MS), signal)
  await deleteFinished(sql, before(retentionDays * 24 * HOUR_MS), signal)
}
