import type { CaseEvent } from '../../../proto/events/cases.ts'
import type { Case, CaseInput, CasePatch } from '../../../proto/http/sourcing/cases.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, invalid, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { once } from '../../kit/idempotency/once.ts'
import { findOrder } from '../orders/queries.ts'
import { findRfq } from '../rfqs/queries.ts'
import { notifyOfCases } from './events.ts'
import * as queries from './queries.ts'
import { contentOf, illegal, partiesOfOrder, patchedContent, unknownOrder, unknownRfq } from './rules.ts'
import { CASE_TRANSITIONS, type CaseVerb, isLegal } from './states.ts'

export interface CommandDeps {
  clock: () => number
}

interface CreateCase {
  begin: BeginCommand
  body: CaseInput
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a case of the caller's organization. */
export function createCase({ clock }: CommandDeps, { begin, body, audit, idempotencyKey }: CreateCase) {
  const now = new Date(clock()).toISOString()
  return begin((tx, { userId, orgId }) => {
    const request = { userId, operation: 'createCase', key: idempotencyKey, body }
    return once(tx, request, now, async (): Promise<Case> => {
      const { kind, rfqId = null, orderId = null } = body
      const partyOrgIds = await requireParties(tx, orgId, body)
      const id = newIdAt('case', now)
      const [row] = await queries.insertCase(
        tx,
        { id, kind, rfqId, orderId, orgId, partyOrgIds, ...contentOf(body) },
        now,
      )
      await recordSuccess(tx, { ...audit, request: { ...audit.request, caseId: id } })
      const created: Case = JSON.parse(row.document)
      await notifyOfCases(tx, [{ type: 'cases.created', data: { case: created } }])
      return created
    })
  })
}

/** The parties to a new case; throws 400 for an RFQ or an order that the organization cannot read. */
async function requireParties(tx: Tx, orgId: string, { rfqId, orderId }: CaseInput): Promise<string[]> {
  if (orderId !== undefined) {
    const [row] = await findOrder(tx, orgId, orderId)
    if (!row) throw invalid([unknownOrder(orderId)])
    return partiesOfOrder(JSON.parse(row.document) as Order)
  }
  if (rfqId === undefined) return [orgId]
  const [row] = await findRfq(tx, orgId, rfqId)
  if (!row) throw invalid([unknownRfq(rfqId)])
  const { consumerOrgId }: Rfq = JSON.parse(row.document)
  return [...new Set([orgId, consumerOrgId])]
}

interface ChangeCase {
  begin: BeginCommand
  params: { id: string }
  audit: AuditContext
}

/** Changes title and description. A patch without a change writes nothing. */
export function patchCase(
  { clock }: CommandDeps,
  { begin, params, body, ifMatch, audit }: ChangeCase & { body: CasePatch; ifMatch: string | undefined },
): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { document } = found(await queries.lockCase(tx, orgId, params.id))
    const present: Case = JSON.parse(document)
    requireMatch(ifMatch, document)
    requireLegal('edit', present)
    await recordSuccess(tx, audit)
    const content = patchedContent(present, body)
    if (Bun.deepEquals(content, contentOf(present))) return new JsonText(document)
    const { document: changed } = found(await queries.updateContent(tx, { orgId, id: present.id }, content, now))
    await notifyOfCases(tx, [{ type: 'cases.updated', data: { case: JSON.parse(changed) } }])
    return new JsonText(changed)
  })
}

const EVENT_TYPES = {
  close: 'cases.closed',
  reopen: 'cases.updated',
  archive: 'cases.archived',
  unarchive: 'cases.unarchived',
} as const satisfies Partial<Record<CaseVerb, CaseEvent['type']>>

/** Moves a case by a verb of any party; of two concurrent calls one gets 409. */
export function moveCase(
  { clock }: CommandDeps,
  verb: keyof typeof EVENT_TYPES,
  { begin, params, audit }: ChangeCase,
): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { document } = found(await queries.lockCase(tx, orgId, params.id))
    requireLegal(verb, JSON.parse(document))
    const moved = found(await queries.moveState(tx, { orgId, id: params.id }, CASE_TRANSITIONS[verb], now))
    await recordSuccess(tx, audit)
    await notifyOfCases(tx, [{ type: EVENT_TYPES[verb], data: { case: JSON.parse(moved.document) } }])
    return new JsonText(moved.document)
  })
}

/** A case of the organization, locked until the transaction ends; otherwise 404. */
export async function lockCase(tx: Tx, orgId: string, id: string): Promise<Case> {
  return JSON.parse(found(await queries.lockCase(tx, orgId, id)).document)
}

/** Throws 409 for a verb that the state does not allow. */
export function requireLegal(verb: CaseVerb, { state }: Pick<Case, 'state'>): void {
  if (!isLegal(verb, state)) throw refuse('illegal_transition', { detail: illegal(state, verb) })
}
