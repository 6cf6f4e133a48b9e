import {
  type CustomField,
  type CustomFieldRequest,
  MAX_CUSTOM_FIELDS,
  type PatchCustomFieldRequest,
} from '../../../proto/http/organization/custom-fields.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { AuthorizedTx, BeginCommand } from '../../kit/auth/authorized.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, invalid, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { once } from '../../kit/idempotency/once.ts'
import { lockOrganization } from '../authority/authority.ts'
import { findPartOfField, lockLabels } from '../labels/queries.ts'
import { withUniqueName } from '../unique-names.ts'
import * as queries from './queries.ts'
import { optionProblems } from './rules.ts'

const UNIQUE_NAME = { record: 'custom field', index: 'custom_fields_org_id_name_key' }

export interface CommandDeps {
  clock: () => number
}

interface NewCustomField {
  name: string
  /** Names of the options, in display order. */
  options: string[]
}

export async function createCustomField(begin: BeginCommand, audit: AuditContext, input: NewCustomField, now: string) {
  const body = { name: input.name, options: input.options.map((name) => ({ name })) }
  const add = (tx: AuthorizedTx, caller: Caller) => addCustomField(tx, caller, audit, body, now)
  const { id, options } = await withUniqueName(begin, UNIQUE_NAME, add)
  return { fieldId: id, options }
}

interface CreateCustomField {
  begin: BeginCommand
  body: CustomFieldRequest
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a custom field once per Idempotency-Key. */
export function createCustomFieldOnce(
  { clock }: CommandDeps,
  { begin, body, audit, idempotencyKey }: CreateCustomField,
) {
  const now = new Date(clock()).toISOString()
  return withUniqueName(begin, UNIQUE_NAME, (tx, caller) => {
    const request = { userId: caller.userId, operation: 'createCustomField', key: idempotencyKey, body }
    return once(tx, request, now, () => addCustomField(tx, caller, audit, body, now))
  })
}

async function addCustomField(
  tx: AuthorizedTx,
  caller: Caller,
  audit: AuditContext,
  { name, options }: CustomFieldRequest,
  now: string,
): Promise<CustomField> {
  const { orgId } = caller
  const problems = optionProblems(options, new Set())
  if (problems.length > 0) throw invalid(problems)
  // Creation is serialized, because concurrent requests could exceed the limit.
  await lockOrganization(tx, orgId)
  const [present] = await queries.countCustomFields(tx, orgId)
  if (present.count >= MAX_CUSTOM_FIELDS) throw refuse('limit_reached')
  const field = {
    id: newId('field'),
    name,
    options: options.map((option) => ({ id: newId('option'), name: option.name })),
  }
  await queries.insertCustomField(tx, { id: field.id, orgId, name }, now)
  for (const [position, option] of field.options.entries()) {
    await queries.insertOption(tx, { ...option, orgId, fieldId: field.id, position })
  }
  await recordSuccess(tx, { ...audit, request: { ...audit.request, fieldId: field.id } })
  await emitChanged(tx, orgId, field.id)
  return field
}

const emitChanged = (tx: Tx, orgId: string, fieldId: string) =>
  emit(tx, { type: 'organization.customField.changed', tenantId: orgId, subject: fieldId, data: { fieldId, orgId } })

interface PatchCustomField {
  begin: BeginCommand
  id: string
  body: PatchCustomFieldRequest
  audit: AuditContext
  ifMatch: string | undefined
}

/** Renames a field or replaces its options. An option that a part uses cannot be removed. */
export function patchCustomField({ begin, id, body, audit, ifMatch }: PatchCustomField) {
  return withUniqueName(begin, UNIQUE_NAME, async (tx, { orgId }): Promise<CustomField> => {
    const field = await lockField(tx, orgId, id)
    const known = new Set(field.options.map((option) => option.id))
    const problems = optionProblems(body.options ?? [], known)
    if (problems.length > 0) throw invalid(problems)
    requireMatch(ifMatch, field)
    if (body.options) await replaceOptions(tx, orgId, field, body.options)
    await queries.renameCustomField(tx, orgId, id, body.name ?? field.name)
    await recordSuccess(tx, audit)
    await emitChanged(tx, orgId, id)
    return getField(tx, orgId, id)
  })
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
export function deleteCustomField(begin: BeginCommand, id: string, audit: AuditContext): Promise<undefined> {
  return begin(async (tx, { orgId }) => {
    await lockField(tx, orgId, id)
    if ((await findPartOfField(tx, orgId, { fieldId: id })).length > 0) {
      throw refuse('in_use', { detail: 'A part uses an option of the field.' })
    }
    await queries.deleteCustomField(tx, orgId, id)
    await recordSuccess(tx, audit)
    await emitChanged(tx, orgId, id)
    return undefined
  })
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
