import type * as api from '../../../proto/http/organization/custom-fields.ts'
import { type CustomField, MAX_CUSTOM_FIELDS } from '../../../proto/http/organization/custom-fields.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, refuse, requireRoomFor, requireValid } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { lockStanding } from '../authority/authority.ts'
import { findPartOfField, lockLabels } from '../labels/queries.ts'
import { refuseTakenName } from '../unique-names.ts'
import * as queries from './queries.ts'
import { unknownOptions } from './rules.ts'

const refuseTaken = refuseTakenName({ record: 'custom field', index: 'custom_fields_org_id_name_key' })

export async function createCustomField({
  tx,
  caller: { orgId },
  body: { name, options },
  now,
  audit,
}: CommandOf<typeof api.createCustomField>): Promise<CustomField> {
  // Creation is serialized, because concurrent requests could exceed the limit.
  await lockStanding(tx, orgId)
  requireRoomFor('custom fields', MAX_CUSTOM_FIELDS, await queries.countCustomFields(tx, orgId))
  const id = newId('field')
  await queries.insertCustomField(tx, { id, orgId, name }, now).catch(refuseTaken)
  await replaceOptions(tx, orgId, { id, name, options: [] }, options)
  audit.add({ fieldId: id })
  await emitChanged(tx, orgId, id)
  return getField(tx, orgId, id)
}

const emitChanged = (tx: Tx, orgId: string, fieldId: string) =>
  emit(tx, {
    type: 'organization.customField.changed',
    tenantId: orgId,
    subject: fieldId,
    data: { fieldId, orgId },
  })

/** Renames a field or replaces its options. An option that a part uses cannot be removed. */
export async function patchCustomField({
  tx,
  caller: { orgId },
  params: { id },
  body,
  ifMatch,
}: CommandOf<typeof api.patchCustomField>): Promise<CustomField> {
  const field = await lockField(tx, orgId, id)
  const known = new Set(field.options.map((option) => option.id))
  const problems = unknownOptions(body.options ?? [], known)
  requireValid(problems)
  requireMatch(ifMatch, field)
  const { name = field.name, options = field.options } = body
  if (Bun.deepEquals({ ...field, name, options }, field)) return field
  if (body.options) await replaceOptions(tx, orgId, field, body.options)
  await queries.renameCustomField(tx, orgId, id, name).catch(refuseTaken)
  await emitChanged(tx, orgId, id)
  return getField(tx, orgId, id)
}

async function replaceOptions(tx: Tx, orgId: string, field: CustomField, options: { id?: string; name: string }[]) {
  const kept = new Set(options.map(({ id }) => id))
  for (const { id } of field.options.filter((option) => !kept.has(option.id))) {
    if ((await findPartOfField(tx, orgId, { fieldId: field.id, optionId: id })).length > 0) {
      throw refuse('in_use', { errors: [{ field: 'options', message: `${id} is used by a part` }] })
    }
    await queries.deleteOption(tx, orgId, field.id, id)
  }
  for (const [position, { id = newId('option'), name }] of options.entries()) {
    await queries.upsertOption(tx, { id, orgId, fieldId: field.id, name, position })
  }
}

/** Deletes a field that no part uses, after the transactions that write parts. */
export async function deleteCustomField({
  tx,
  caller: { orgId },
  params: { id },
}: CommandOf<typeof api.deleteCustomField>): Promise<undefined> {
  await lockField(tx, orgId, id)
  if ((await findPartOfField(tx, orgId, { fieldId: id })).length > 0) {
    throw refuse('in_use', { detail: 'A part uses an option of the field.' })
  }
  await queries.deleteCustomField(tx, orgId, id)
  await emitChanged(tx, orgId, id)
  return undefined
}

/** Locks the field, and blocks the writing of parts that could use its options, until the transaction ends. */
async function lockField(tx: Tx, orgId: string, id: string): Promise<CustomField> {
  await getField(tx, orgId, id)
  await lockLabels(tx, orgId)
  found(await queries.lockCustomField(tx, orgId, id))
  return getField(tx, orgId, id)
}

const getField = async (tx: Tx, orgId: string, id: string): Promise<CustomField> =>
  found(await queries.findCustomField(tx, orgId, id))
