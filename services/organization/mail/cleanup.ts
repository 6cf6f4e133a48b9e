import type { Pool } from '../../kit/db/client.ts'
import { CONFIRMATION_MS } from '../mail-addresses/commands.ts'
import { deleteUnconfirmed } from '../mail-addresses/queries.ts'
import { deleteFinished, failExpired, forgetRecipients } from './queries.ts'

const HOUR_MS = 60 * 60 * 1000

/** Gives up expired mails, deletes finished ones and addresses that were not confirmed, and forgets recipients. */
export async function cleanUpMails(sql: Pool, retentionDays: number, now: string, signal: AbortSignal): Promise<void> {
  const before = (ms: number) => new Date(Date.parse(now) - ms).toISOString()
  await failExpired(sql, now, signal)
  await forgetRecipients(sql, before(HOUR_MS), signal)
  await deleteFinished(sql, before(retentionDays * 24 * HOUR_MS), signal)
  await deleteUnconfirmed(sql, before(CONFIRMATION_MS), signal)
}
