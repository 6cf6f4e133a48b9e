import type * as api from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import type { getRfq, Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Pool } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { Log } from '../../kit/log/log.ts'
import { levelOf } from '../../kit/worker/worker.ts'
import { picturedRecord } from '../renderings/documents.ts'
import type { Pictures } from '../renderings/pictures.ts'
import { causeOf, emitRfqDetail } from './events.ts'
import type { RfqDeps } from './followers.ts'
import { declineInvitation, findRfq, lockInvitation, markRead } from './queries.ts'
import { DECLINE_GUARDS, hasOtherRole, stateAt } from './rules.ts'

interface InvitationDeps {
  sql: Pool
  log: Log
  pictures: Pictures
}

/**
 * The JSON of an RFQ for an organization. The first read by a person of an invited manufacturer is recorded: not a
 * HEAD, whose answer has no content, and not that of an impersonation.
 */
export async function readRfq(
  deps: InvitationDeps,
  { caller, params: { id }, request, now, read }: CallerContext<typeof getRfq>,
): Promise<JsonText> {
  const { orgId, act } = caller
  const rfq = found(await read((sql) => findRfq(sql, orgId, id)))
  const reading = { pictures: deps.pictures, reader: { caller, now, read } }
  const answer = await picturedRecord({ ...rfq, position: id }, reading)
  if (rfq.isUnread && !act && request.method === 'GET') await recordRead(deps, orgId, id, now)
  return answer
}

/** Records the first read. A failure is logged, and does not fail the read. */
async function recordRead({ sql, log }: InvitationDeps, orgId: string, id: string, now: string): Promise<void> {
  try {
    await markRead(sql, orgId, id, now)
  } catch (err) {
    log[levelOf(err)]({ err, rfqId: id }, 'an invitation could not be marked as read')
  }
}

/** Declines the invitation of the caller's organization. */
export async function declineRfq(
  { followers }: RfqDeps,
  { tx, caller: { orgId }, params, body, now }: CommandOf<typeof api.declineRfq>,
): Promise<JsonText> {
  const invitation = found(await lockInvitation(tx, orgId, params.id))
  const rfq: Rfq = JSON.parse(invitation.rfq)
  await requireGuards(RFQ, 'decline', stateAt(rfq, now), { guards: DECLINE_GUARDS, facts: () => invitation })
  const { document } = found(await declineInvitation(tx, orgId, rfq.id, body?.reason ?? null, now))
  await emitRfqDetail(tx, 'declined', rfq, { manufacturerOrgId: orgId })
  const change = { rfqId: rfq.id, cause: causeOf('declined', rfq) }
  const own = { ...change, orgIds: [orgId], ends: !hasOtherRole(rfq, orgId) }
  await followers.updateCases(
    tx,
    orgId === rfq.consumerOrgId ? [own] : [own, { ...change, orgIds: [rfq.consumerOrgId] }],
    now,
  )
  return new JsonText(document)
}
