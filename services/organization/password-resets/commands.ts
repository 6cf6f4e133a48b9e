import { MINUTE_MS, timeAfter } from '../../../proto/durations.ts'
import { createPasswordReset, PASSWORD_RESET_MINUTES } from '../../../proto/http/organization/password-resets.ts'
import { emailSpelling } from '../../kit/addresses/email-spelling.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { clipUserAgent, recordRefusal, recordSuccess } from '../../kit/audit/record.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { networkOf } from '../../kit/http/client-address.ts'
import type { MessageLog } from '../../kit/log/log.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import type { Kit } from '../../kit/service/service.ts'
import { drain } from '../../kit/worker/batches.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { handleOrEnd, type MailLinks } from '../mail/links.ts'
import * as queries from './queries.ts'

/** Upper bounds of the requests that wait for the worker: of all, and of one network. */
const MAX_WAITING = { all: 1000, ofNetwork: 50 }
const SWEEP_MS = 1000

export interface ResetDeps {
  sql: Pool
  sendsMail: boolean
}

/** Stores a request. Nothing is looked up, so that the answer tells nothing about the address. */
export async function requestReset(
  { sql, sendsMail }: ResetDeps,
  email: string,
  { ipAddress, userAgent }: AuditContext,
  now: string,
): Promise<undefined> {
  if (!sendsMail) throw refuse('mail_unavailable')
  const request = {
    id: newIdAt('reset', now),
    email: emailSpelling(email),
    ipAddress,
    network: networkOf(ipAddress),
    userAgent: clipUserAgent(userAgent),
  }
  if ((await queries.insertRequest(sql, request, MAX_WAITING, now)).length === 0)
    throw refuse('rate_limited', { headers: { 'retry-after': '60' } })
}

/** Sends the links of the requests. Every replica runs one; each request is taken by one of them. */
export const resetWorker = ({ sql, log, now }: Kit, links: MailLinks): Worker =>
  every('password-resets', SWEEP_MS, log, (signal) =>
    drain(signal, () => sql.begin((tx) => sendNext({ tx, links, log }, now()))),
  )

/** Whether a request was waiting. */
async function sendNext(
  { tx, links, log }: { tx: Tx; links: MailLinks; log: MessageLog },
  now: string,
): Promise<boolean> {
  const [request] = await queries.takeRequest(tx)
  if (!request) return false
  const [person] = await queries.lockPerson(tx, request.email_key)
  if (!person) return true
  const { id: userId, org_id: orgId, email } = person
  const auditContext = {
    procedure: createPasswordReset.audit.procedure,
    orgId,
    actorId: userId,
    ipAddress: request.ip_address ?? undefined,
    userAgent: request.user_agent ?? undefined,
  }
  if (person.enforced) {
    const refused = { ...auditContext, request: { reason: 'identity_provider_enforced' } }
    await recordRefusal(tx, refused, 'invalid_credentials')
    return true
  }
  const { token, hash } = newSecretToken()
  const expiresAt = timeAfter(now, PASSWORD_RESET_MINUTES * MINUTE_MS)
  await handleOrEnd(tx, log, async (inner) => {
    await queries.replaceLink(inner, userId, hash, expiresAt, now)
    await links.send(inner, { kind: 'FORGOTTEN', orgId, userId, email, token }, now)
    await recordSuccess(inner, auditContext)
  })
  return true
}
