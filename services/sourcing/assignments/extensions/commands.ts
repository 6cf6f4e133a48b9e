import {
  type Assignment,
  type AssignmentExtension,
  type AssignmentExtensionInput,
  MAX_EXTENSIONS,
} from '../../../../proto/http/sourcing/assignments.ts'
import type { AuditContext } from '../../../kit/audit/context.ts'
import { recordSuccess } from '../../../kit/audit/record.ts'
import type { BeginCommand } from '../../../kit/auth/authorized.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { found, invalidField, refuse } from '../../../kit/errors/refusal.ts'
import { once } from '../../../kit/idempotency/once.ts'
import type { CommandDeps } from '../commands.ts'
import { notifyOfAssignments } from '../events.ts'
import { lockMadeAssignment } from '../queries.ts'
import { isDelivered } from '../rules.ts'
import { countExtensions, insertExtension } from './queries.ts'

interface CreateExtension {
  begin: BeginCommand
  params: { id: string }
  body: AssignmentExtensionInput
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Sets a later expected day of delivery, by the manufacturer. */
export function createExtension(
  { clock }: CommandDeps,
  { begin, params: { id }, body, audit, idempotencyKey }: CreateExtension,
) {
  const now = new Date(clock()).toISOString()
  return begin((tx, { userId, orgId }) => {
    const request = { userId, operation: 'createAssignmentExtension', key: idempotencyKey, body: { id, ...body } }
    return once(tx, request, now, async (): Promise<AssignmentExtension> => {
      const present: Assignment = JSON.parse(found(await lockMadeAssignment(tx, orgId, id)).document)
      if (body.dueDate <= present.dueDate) {
        throw invalidField('dueDate', `must be later than ${present.dueDate}, the present one`)
      }
      if (isDelivered(present)) throw refuse('illegal_transition', { detail: `The order is ${present.status}.` })
      const [{ count }] = await countExtensions(tx, id)
      if (count >= MAX_EXTENSIONS) {
        throw refuse('limit_reached', { detail: `An assignment has at most ${MAX_EXTENSIONS} extensions.` })
      }
      const extensionId = newIdAt('extension', now)
      const [written] = await insertExtension(tx, orgId, { id, extensionId }, body, now)
      const [assignment, extension] = [JSON.parse(written.assignment), JSON.parse(written.extension)]
      await recordSuccess(tx, { ...audit, request: { ...audit.request, extensionId } })
      await notifyOfAssignments(tx, [{ type: 'assignments.extensions.created', data: { assignment, extension } }])
      return extension
    })
  })
}
