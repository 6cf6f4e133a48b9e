import type * as api from '../../../proto/http/organization/business-units.ts'
import { type BusinessUnit, MAX_BUSINESS_UNITS } from '../../../proto/http/organization/business-units.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, refuse, requireRoomFor } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { lockStanding } from '../authority/authority.ts'
import { findPartOfUnit, lockLabels } from '../labels/queries.ts'
import { refuseTakenName } from '../unique-names.ts'
import * as queries from './queries.ts'

const refuseTaken = refuseTakenName({ record: 'business unit', index: 'business_units_org_id_name_key' })

export async function createBusinessUnit({
  tx,
  caller: { orgId },
  body: { name },
  now,
  audit,
}: CommandOf<typeof api.createBusinessUnit>): Promise<BusinessUnit> {
  // Creation is serialized, because concurrent requests could exceed the limit.
  await lockStanding(tx, orgId)
  requireRoomFor('business units', MAX_BUSINESS_UNITS, await queries.countBusinessUnits(tx, orgId))
  const id = newId('bu')
  await queries.insertBusinessUnit(tx, { id, orgId, name }, now).catch(refuseTaken)
  audit.add({ businessUnitId: id })
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

export async function patchBusinessUnit({
  tx,
  caller: { orgId },
  params: { id },
  body,
  ifMatch,
}: CommandOf<typeof api.patchBusinessUnit>): Promise<BusinessUnit> {
  const unit = found(await queries.lockBusinessUnit(tx, orgId, id))
  requireMatch(ifMatch, unit)
  const { name = unit.name } = body
  if (name === unit.name) return unit
  await queries.renameBusinessUnit(tx, orgId, id, name).catch(refuseTaken)
  await emitChanged(tx, orgId, id)
  return { id, name }
}

/** Deletes a unit without parts, after the transactions that assign parts to it. */
export async function deleteBusinessUnit({
  tx,
  caller: { orgId },
  params: { id },
}: CommandOf<typeof api.deleteBusinessUnit>): Promise<undefined> {
  found(await queries.findBusinessUnit(tx, orgId, id))
  await lockLabels(tx, orgId)
  found(await queries.lockBusinessUnit(tx, orgId, id))
  if ((await findPartOfUnit(tx, orgId, id)).length > 0) {
    throw refuse('in_use', { detail: 'A part still belongs to the business unit.' })
  }
  await queries.deleteBusinessUnit(tx, orgId, id)
  await emitChanged(tx, orgId, id)
  return undefined
}
