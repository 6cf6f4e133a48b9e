import {
  type BillingDetails,
  type BillingDetailsInput,
  type BillingDetailsPatch,
  MAX_BILLING_DETAILS,
} from '../../../../proto/http/sourcing/billing-details.ts'
import type { AuditContext } from '../../../kit/audit/context.ts'
import { recordSuccess } from '../../../kit/audit/record.ts'
import type { BeginCommand } from '../../../kit/auth/authorized.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import { found, refuse } from '../../../kit/errors/refusal.ts'
import { requireMatch } from '../../../kit/http/entity-tags.ts'
import { once } from '../../../kit/idempotency/once.ts'
import { type CommandDeps, lockAssignment, requireNotArchived } from '../commands.ts'
import { notifyOfAssignments } from '../events.ts'
import { patched } from '../rules.ts'
import * as queries from './queries.ts'

interface CreateBillingDetails {
  begin: BeginCommand
  params: { id: string }
  body: BillingDetailsInput
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates billing details of the caller's organization. */
export function createBillingDetails(
  { clock }: CommandDeps,
  { begin, params: { id }, body, audit, idempotencyKey }: CreateBillingDetails,
) {
  const now = new Date(clock()).toISOString()
  return begin((tx, { userId, orgId }) => {
    const request = { userId, operation: 'createBillingDetails', key: idempotencyKey, body: { id, ...body } }
    return once(tx, request, now, async (): Promise<BillingDetails> => {
      const assignment = await lockAssignment(tx, orgId, id)
      requireNotArchived(assignment)
      const [{ count }] = await queries.countBillingDetails(tx, orgId, id)
      if (count >= MAX_BILLING_DETAILS) {
        throw refuse('limit_reached', {
          detail: `An organization has at most ${MAX_BILLING_DETAILS} billing details for an assignment.`,
        })
      }
      const billingDetailsId = newIdAt('billing', now)
      const [row] = await queries.insertBillingDetails(tx, orgId, { id, billingDetailsId }, body, now)
      const billingDetails: BillingDetails = JSON.parse(row.document)
      await recordSuccess(tx, { ...audit, request: { ...audit.request, billingDetailsId } })
      await notifyOfAssignments(tx, [
        { type: 'assignments.billing-details.created', data: { assignment, billingDetails } },
      ])
      return billingDetails
    })
  })
}

interface ChangeBillingDetails {
  begin: BeginCommand
  params: queries.BillingDetailsKey
  audit: AuditContext
}

/** Changes billing details that the caller's organization created. A patch without a change writes nothing. */
export function patchBillingDetails(
  { clock }: CommandDeps,
  {
    begin,
    params,
    body,
    ifMatch,
    audit,
  }: ChangeBillingDetails & { body: BillingDetailsPatch; ifMatch: string | undefined },
): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const assignment = await lockAssignment(tx, orgId, params.id)
    const { document } = found(await queries.findOwnBillingDetails(tx, orgId, params))
    requireMatch(ifMatch, document)
    requireNotArchived(assignment)
    await recordSuccess(tx, { ...audit, request: { ...audit.request, fields: Object.keys(body) } })
    const present: BillingDetails = JSON.parse(document)
    const content = patched(present, body)
    if (Bun.deepEquals(content, present)) return new JsonText(document)
    const changed = found(await queries.updateBillingDetails(tx, orgId, params, content, now))
    const data = { assignment, billingDetails: JSON.parse(changed.document) }
    await notifyOfAssignments(tx, [{ type: 'assignments.billing-details.updated', data }])
    return new JsonText(changed.document)
  })
}

/** Deletes billing details that the caller's organization created. */
export function deleteBillingDetails({ begin, params, audit }: ChangeBillingDetails): Promise<undefined> {
  return begin(async (tx, { orgId }) => {
    const assignment = await lockAssignment(tx, orgId, params.id)
    const { document } = found(await queries.findOwnBillingDetails(tx, orgId, params))
    requireNotArchived(assignment)
    await queries.deleteBillingDetails(tx, orgId, params)
    await recordSuccess(tx, audit)
    const data = { assignment, billingDetails: JSON.parse(document) }
    await notifyOfAssignments(tx, [{ type: 'assignments.billing-details.deleted', data }])
    return undefined
  })
}
