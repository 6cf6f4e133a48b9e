import { HOUR_MS, timeAfter } from '../../../proto/durations.ts'
import type { Pool } from '../../kit/db/client.ts'
import { deleteExpired } from '../../kit/worker/expired.ts'
import { failExpired, forgetRecipients } from './queries.ts'

/** Gives up expired and void mails, deletes finished ones, and forgets the recipients that no limit counts. */
export async function cleanUpMails(sql: Pool, retentionDays: number, now: string, signal: AbortSignal): Promise<void> {
  await failExpired(sql, now, signal)
  await forgetRecipients(sql, timeAfter(now, -HOUR_MS), signal)
  const finished = { table: 'organization.mails', key: 'id', time: 'finished_at', keptDays: retentionDays }
  await deleteExpired(sql, [finished], now, signal)
}
