import type * as api from '../../../proto/http/sourcing/assignments.ts'
import type { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import { ASSIGNMENT } from '../../../proto/states/assignments.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireGuards, requireTransition } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found } from '../../kit/errors/refusal.ts'
import { notifyParties } from '../notifications/emit.ts'
import * as queries from './queries.ts'
import { GUARDS, stateOf } from './rules.ts'

const EVENT_TYPES = { archive: 'assignments.archived', unarchive: 'assignments.unarchived' } as const

/** Archives or unarchives an assignment of the caller's organization; of two concurrent calls one gets 409. */
export async function moveAssignment(
  verb: keyof typeof EVENT_TYPES,
  { tx, caller: { orgId }, params, now }: CommandOf<typeof api.archiveAssignment | typeof api.unarchiveAssignment>,
): Promise<JsonText> {
  const present = await lockAssignment(tx, orgId, params.id)
  await requireGuards(ASSIGNMENT, verb, stateOf(present), { guards: GUARDS, facts: () => present })
  const { document } = found(await queries.updateArchived(tx, orgId, present.id, verb === 'archive', now))
  await notifyParties(tx, [{ type: EVENT_TYPES[verb], data: { assignment: JSON.parse(document) } }])
  return new JsonText(document)
}

/** An assignment of the organization, locked so that its contacts and billing details change one after another. */
export const lockAssignment = async (tx: Tx, orgId: string, id: string): Promise<Assignment> =>
  JSON.parse(found(await queries.lockAssignment(tx, orgId, id)).document)

/** Throws 409 for an archived assignment. */
export const requireEditable = (assignment: Assignment): void =>
  requireTransition(ASSIGNMENT, 'edit', stateOf(assignment))
