import type * as api from '../../../../proto/http/sourcing/assignments.ts'
import {
  type Assignment,
  type AssignmentExtension,
  MAX_EXTENSIONS,
} from '../../../../proto/http/sourcing/assignments.ts'
import type { CommandOf } from '../../../kit/command/command.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { found, invalidField, refuse } from '../../../kit/errors/refusal.ts'
import { notifyParties } from '../../notifications/emit.ts'
import { countSubrecords, insertSubrecord } from '../../subrecords/queries.ts'
import { lockAssignmentOfManufacturer, lockOrderOfManufacturer, updateDueDate } from '../queries.ts'
import { isDelivered } from '../rules.ts'

/** Sets a later expected day of delivery, by the manufacturer. */
export async function createExtension({
  tx,
  caller: { orgId, userId },
  params: { id: assignmentId },
  body: { dueDate, reason },
  now,
  audit,
}: CommandOf<typeof api.createAssignmentExtension>): Promise<AssignmentExtension> {
  found(await lockOrderOfManufacturer(tx, orgId, assignmentId))
  const present: Assignment = JSON.parse(found(await lockAssignmentOfManufacturer(tx, orgId, assignmentId)).document)
  const previousDueDate = present.dueDate
  if (dueDate <= previousDueDate) {
    throw invalidField('dueDate', `must be later than ${previousDueDate}, the current one`)
  }
  if (isDelivered(present)) throw refuse('illegal_transition', { detail: `The order is ${present.status}.` })
  const siblings = { kind: 'extension', parentId: assignmentId } as const
  const [{ count }] = await countSubrecords(tx, orgId, siblings)
  if (count >= MAX_EXTENSIONS) {
    throw refuse('limit_reached', { detail: `An assignment has at most ${MAX_EXTENSIONS} extensions.` })
  }
  const id = newIdAt('extension', now)
  const extension = { id, assignmentId, orgId, dueDate, previousDueDate, reason, createdTime: now }
  await insertSubrecord(tx, orgId, { ...siblings, id, document: JSON.stringify(extension), userId })
  const assignment = JSON.parse(found(await updateDueDate(tx, orgId, assignmentId, dueDate, now)).document)
  audit.add({ extensionId: id })
  await notifyParties(tx, [{ type: 'assignments.extensions.created', data: { assignment, extension } }])
  return extension
}
