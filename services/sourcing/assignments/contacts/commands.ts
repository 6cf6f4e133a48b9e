import {
  type AssignmentContact,
  type AssignmentContactInput,
  type AssignmentContactPatch,
  MAX_CONTACTS,
} from '../../../../proto/http/sourcing/assignment-contacts.ts'
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

interface CreateContact {
  begin: BeginCommand
  params: { id: string }
  body: AssignmentContactInput
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a contact of the caller's organization. */
export function createContact(
  { clock }: CommandDeps,
  { begin, params: { id }, body, audit, idempotencyKey }: CreateContact,
) {
  const now = new Date(clock()).toISOString()
  return begin((tx, { userId, orgId }) => {
    const request = { userId, operation: 'createAssignmentContact', key: idempotencyKey, body: { id, ...body } }
    return once(tx, request, now, async (): Promise<AssignmentContact> => {
      const assignment = await lockAssignment(tx, orgId, id)
      requireNotArchived(assignment)
      const [{ count }] = await queries.countContacts(tx, orgId, id)
      if (count >= MAX_CONTACTS) {
        throw refuse('limit_reached', {
          detail: `An organization has at most ${MAX_CONTACTS} contacts for an assignment.`,
        })
      }
      const contactId = newIdAt('contact', now)
      const [row] = await queries.insertContact(tx, orgId, { id, contactId }, body, now)
      const contact: AssignmentContact = JSON.parse(row.document)
      await recordSuccess(tx, { ...audit, request: { ...audit.request, contactId } })
      await notifyOfAssignments(tx, [{ type: 'assignments.contacts.created', data: { assignment, contact } }])
      return contact
    })
  })
}

interface ChangeContact {
  begin: BeginCommand
  params: queries.ContactKey
  audit: AuditContext
}

/** Changes a contact that the caller's organization created. A patch without a change writes nothing. */
export function patchContact(
  { clock }: CommandDeps,
  {
    begin,
    params,
    body,
    ifMatch,
    audit,
  }: ChangeContact & { body: AssignmentContactPatch; ifMatch: string | undefined },
): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const assignment = await lockAssignment(tx, orgId, params.id)
    const { document } = found(await queries.findOwnContact(tx, orgId, params))
    requireMatch(ifMatch, document)
    requireNotArchived(assignment)
    await recordSuccess(tx, { ...audit, request: { ...audit.request, fields: Object.keys(body) } })
    const present: AssignmentContact = JSON.parse(document)
    const content = patched(present, body)
    if (Bun.deepEquals(content, present)) return new JsonText(document)
    const changed = found(await queries.updateContact(tx, orgId, params, content, now))
    const data = { assignment, contact: JSON.parse(changed.document) }
    await notifyOfAssignments(tx, [{ type: 'assignments.contacts.updated', data }])
    return new JsonText(changed.document)
  })
}

/** Deletes a contact that the caller's organization created. */
export function deleteContact({ begin, params, audit }: ChangeContact): Promise<undefined> {
  return begin(async (tx, { orgId }) => {
    const assignment = await lockAssignment(tx, orgId, params.id)
    const { document } = found(await queries.findOwnContact(tx, orgId, params))
    requireNotArchived(assignment)
    await queries.deleteContact(tx, orgId, params)
    await recordSuccess(tx, audit)
    const data = { assignment, contact: JSON.parse(document) }
    await notifyOfAssignments(tx, [{ type: 'assignments.contacts.deleted', data }])
    return undefined
  })
}
