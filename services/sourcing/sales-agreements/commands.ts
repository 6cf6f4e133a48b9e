import type * as api from '../../../proto/http/sourcing/sales-agreements.ts'
import type { SalesAgreement } from '../../../proto/http/sourcing/sales-agreements.ts'
import type { Permission } from '../../../proto/permissions.ts'
import { SALES_AGREEMENT } from '../../../proto/states/sales-agreements.ts'
import { requirePermission } from '../../kit/auth/access.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emitAll } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalid, notFound, refuse, requireValid } from '../../kit/errors/refusal.ts'
import * as queries from './queries.ts'
import { GUARDS, hasRoom, notAParty, permissionOf, roleProblems, TOO_MANY } from './rules.ts'

/** Proposes an agreement of the caller's organization and another one. */
export async function createAgreement({
  tx,
  caller,
  body,
  now,
  audit,
}: CommandOf<typeof api.createSalesAgreement>): Promise<JsonText> {
  const { orgId } = caller
  const needed = permissionOf(body, orgId)
  if (!needed) throw invalid([notAParty(orgId)])
  requirePermission(caller, [needed])
  const [roles] = await queries.findRoles(tx, body.manufacturerOrgId, body.sellerOrgId)
  requireValid(roleProblems(body, roles))
  await queries.lockProposals(tx, orgId)
  const [counts] = await queries.countProposed(tx, orgId, body, now)
  if (!hasRoom(counts)) throw refuse('limit_reached', { detail: TOO_MANY })
  const created = { id: newIdAt('agreement', now), ...body, proposedByOrgId: orgId }
  const [row] = await queries.insertAgreement(tx, created, now)
  if (!row) throw refuse('conflict', { detail: 'The two organizations have a live agreement. End it first.' })
  audit.add({ salesAgreementId: created.id })
  await announce(tx, 'proposed', JSON.parse(row.document), orgId)
  return new JsonText(row.document)
}

/** Accepts the proposal of the other organization. */
export async function acceptAgreement({
  tx,
  caller,
  params,
  now,
}: CommandOf<typeof api.acceptSalesAgreement>): Promise<JsonText> {
  const agreement = await lock(tx, caller, params.id)
  if (agreement.proposedByOrgId === caller.orgId) throw notFound()
  await requireGuards(SALES_AGREEMENT, 'accept', agreement.state, {
    guards: GUARDS,
    facts: async () => (await queries.findRoles(tx, agreement.manufacturerOrgId, agreement.sellerOrgId))[0],
  })
  return move(tx, 'accept', agreement, caller.orgId, now)
}

/** Ends a proposal or an agreement. */
export async function endAgreement({
  tx,
  caller,
  params,
  now,
}: CommandOf<typeof api.endSalesAgreement>): Promise<JsonText> {
  const agreement = await lock(tx, caller, params.id, ['org:admin'])
  requireTransition(SALES_AGREEMENT, 'end', agreement.state)
  return move(tx, 'end', agreement, caller.orgId, now)
}

/** An agreement of the caller's organization, locked; 403 without the permission of its role or another one. */
async function lock(tx: Tx, caller: Caller, id: string, others: readonly Permission[] = []): Promise<SalesAgreement> {
  const agreement: SalesAgreement = JSON.parse(found(await queries.lockAgreement(tx, caller.orgId, id)).document)
  const needed = permissionOf(agreement, caller.orgId)
  if (!needed) throw notFound()
  requirePermission(caller, [needed, ...others])
  return agreement
}

const EVENT_NAMES = { accept: 'accepted', end: 'ended' } as const

async function move(
  tx: Tx,
  verb: keyof typeof EVENT_NAMES,
  agreement: SalesAgreement,
  orgId: string,
  now: string,
): Promise<JsonText> {
  const to = SALES_AGREEMENT.stateAfter(verb, agreement.state)
  const [{ document }] = await queries.moveState(tx, agreement.id, to, now)
  await announce(tx, EVENT_NAMES[verb], agreement, orgId)
  return new JsonText(document)
}

/** Announces a change to the other organization. */
const announce = (
  tx: Tx,
  name: 'proposed' | 'accepted' | 'ended',
  { id, manufacturerOrgId, sellerOrgId }: SalesAgreement,
  causedBy: string,
) =>
  emitAll(
    tx,
    [manufacturerOrgId, sellerOrgId]
      .filter((orgId) => orgId !== causedBy)
      .map((tenantId) => ({
        type: `sourcing.salesAgreement.${name}` as const,
        tenantId,
        subject: id,
        data: { salesAgreementId: id, manufacturerOrgId, sellerOrgId },
      })),
  )
