import { type BusinessUnit, MAX_BUSINESS_UNITS } from '../../../proto/http/organization/business-units.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
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
  sql: Pool
  clock: () => number
}

export async function createBusinessUnit(sql: Pool, caller: Caller, audit: AuditContext, name: string, now: string) {
  return {
    businessUnitId: (await withUniqueName(sql, UNIQUE_NAME, (tx) => addBusinessUnit(tx, caller, audit, name, now))).id,
  }
}

interface CreateBusinessUnit {
  caller: Caller
  body: { name: string }
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a business unit once per Idempotency-Key. */
export function createBusinessUnitOnce(
  { sql, clock }: CommandDeps,
  { caller, body, audit, idempotencyKey }: CreateBusinessUnit,
) {
  const now = new Date(clock()).toISOString()
  const request = { userId: caller.userId, operation: 'createBusinessUnit', key: idempotencyKey, body }
  return withUniqueName(sql, UNIQUE_NAME, (tx) =>
    once(tx, request, now, () => addBusinessUnit(tx, caller, audit, body.name, now)),
  )
}

async function addBusinessUnit(
  tx: Tx,
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
  caller: Caller
  id: string
  body: { name?: string }
  audit: AuditContext
  ifMatch: string | undefined
}

export function patchBusinessUnit({ sql }: CommandDeps, { caller, id, body, audit, ifMatch }: PatchBusinessUnit) {
  const { orgId } = caller
  return withUniqueName(sql, UNIQUE_NAME, async (tx): Promise<BusinessUnit> => {
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
export function deleteBusinessUnit(
  { sql }: CommandDeps,
  caller: Caller,
  id: string,
  audit: AuditContext,
): Promise<undefined> {
  const { orgId } = caller
  return sql.begin(async (tx) => {
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
