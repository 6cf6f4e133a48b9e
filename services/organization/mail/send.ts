import { timeAfter } from '../../../proto/durations.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import { MAIL, MAIL_EXPIRY_MS } from './limits.ts'
import { insertMail, type NewMail } from './link-queries.ts'

/** Sends a mail with the transaction, or at a later time. It expires a day after that. */
export async function sendMail(tx: Tx, mail: NewMail & { dueAt?: string }, now: string): Promise<void> {
  const { kind, orgId: tenantId, dueAt = now } = mail
  const id = newId('mail')
  const expiresAt = timeAfter(dueAt, MAIL_EXPIRY_MS)
  await insertMail(tx, { ...mail, id, expiresAt }, now)
  await startJob(tx, { kind: MAIL, id, tenantId, data: { kind }, dueAt, expiresAt }, now)
}
