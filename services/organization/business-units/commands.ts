import { type BusinessUnit, MAX_BUSINESS_UNITS } from '../../../proto/http/organization/business-units.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { AuthorizedTx, BeginCommand } from '../../kit/auth/authorized.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { once } from '../../kit/idempotency/once.ts'
import { lockOrganization } from '../authority/authority.ts'
import { findPartOfUnit, lockLabels } from '../labels/queries.ts'
import { withUniqueName } from '../unique-names.ts'
import * as queries from './queries.ts'

const UNIQUE_NAME = { record: 'business unit', index: 'business_units_org_id_name_key' }

export interface CommandDeps {
  clock: () => number
}

export async function createBusinessUnit(begin: BeginCommand, audit: AuditContext, name: string, now: string) {
  const add = (tx: AuthorizedTx, caller: Caller) => addBusinessUnit(tx, caller, audit, name, now)
  return { businessUnitId: (await withUniqueName(begin, UNIQUE_NAME, add)).id }
}

interface CreateBusinessUnit {
  begin: BeginCommand
  body: { name: string }
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a business unit once per Idempotency-Key. */
export function createBusinessUnitOnce(
  { clock }: CommandDeps,
  { begin, body, audit, idempotencyKey }: CreateBusinessUnit,
) {
  const now = new Date(clock()).toISOString()
  return withUniqueName(begin, UNIQUE_NAME, (tx, caller) => {
    const request = { userId: caller.userId, operation: 'createBusinessUnit', key: idempotencyKey, body }
    return once(tx, request, now, () => addBusinessUnit(tx, caller, audit, body.name, now))
  })
}

async function addBusinessUnit(
  tx: AuthorizedTx,
  caller: Caller,
  audit: AuditContext,
  name: string,
  now: string,
): Promise<BusinessUnit> {
  const { orgId } = caller
  // Creation is serialized, because concurrent requests could exceed the limit.
  await lockOrganization(tx, orgId)
  const [present] = await queries.countBusinessUnits(tx, orgId)
  if (present.count >= MAX_BUSINESS_UNITS) throw refuse('limit_reached')
  const id = newId('bu')
  await queries.insertBusinessUnit(tx, { id, orgId, name }, now)
  await recordSuccess(tx, { ...audit, request: { ...audit.request, businessUnitId: id } })
  await emitChanged(tx, orgId, id)
  return { id, name }
}

const emitChanged = (tx: Tx, orgId: string, businessUnitId: string) =>
  emit(tx, {
    type: 'organization.businessUnit.changed',
    tenantId: orgId,
    subject: businessUnitId,
    data: { businessUnitId, orgId },
  })

interface PatchBusinessUnit {
  begin: BeginCommand
  id: string
  body: { name?: string }
  audit: AuditContext
  ifMatch: string | undefined
}

export function patchBusinessUnit({ begin, id, body, audit, ifMatch }: PatchBusinessUnit) {
  return withUniqueName(begin, UNIQUE_NAME, async (tx, { orgId }): Promise<BusinessUnit> => {
    const unit = found(await queries.lockBusinessUnit(tx, orgId, id))
    requireMatch(ifMatch, unit)
    const { name = unit.name } = body
    await queries.renameBusinessUnit(tx, orgId, id, name)
    await recordSuccess(tx, audit)
    await emitChanged(tx, orgId, id)
    return { id, name }
  })
}

/** Deletes a unit without parts, after the transactions that assign parts to it. */
export function deleteBusinessUnit(begin: BeginCommand, id: string, audit: AuditContext): Promise<undefined> {
  return begin(async (tx, { orgId }) => {
    found(await queries.findBusinessUnit(tx, orgId, id))
    await lockLabels(tx, orgId)
    found(await queries.lockBusinessUnit(tx, orgId, id))
    if ((await findPartOfUnit(tx, orgId, id)).length > 0) {
      throw refuse('in_use', { detail: 'A part belongs to the business unit.' })
    }
    await queries.deleteBusinessUnit(tx, orgId, id)
    await recordSuccess(tx, audit)
    await emitChanged(tx, orgId, id)
    return undefined
  })
}
