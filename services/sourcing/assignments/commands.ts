import type { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { BeginCommand } from '../../kit/auth/authorized.ts'
import type { Tx } from '../../kit/db/client.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { notifyOfAssignments } from './events.ts'
import * as queries from './queries.ts'
import { archivingProblem } from './rules.ts'

export interface CommandDeps {
  clock: () => number
}

interface ArchiveAssignment {
  begin: BeginCommand
  params: { id: string }
  audit: AuditContext
}

const EVENT_TYPES = { archive: 'assignments.archived', unarchive: 'assignments.unarchived' } as const

/** Archives or unarchives an assignment of the caller's organization; of two concurrent calls one gets 409. */
export function archiveOrUnarchive(
  { clock }: CommandDeps,
  verb: 'archive' | 'unarchive',
  { begin, params, audit }: ArchiveAssignment,
): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const present: Assignment = JSON.parse(found(await queries.lockAssignment(tx, orgId, params.id)).document)
    const problem = archivingProblem(verb, present)
    if (problem !== undefined) throw refuse('illegal_transition', { detail: problem })
    const { document } = found(await queries.updateArchived(tx, orgId, present.id, verb === 'archive', now))
    await recordSuccess(tx, audit)
    await notifyOfAssignments(tx, [{ type: EVENT_TYPES[verb], data: { assignment: JSON.parse(document) } }])
    return new JsonText(document)
  })
}

/** An assignment of the organization, locked, so that its contacts and billing details are changed one after the other. */
export const lockAssignment = async (tx: Tx, orgId: string, id: string): Promise<Assignment> =>
  JSON.parse(found(await queries.lockAssignment(tx, orgId, id)).document)

export function requireNotArchived({ archived }: Assignment): void {
  if (archived) throw refuse('illegal_transition', { detail: 'The assignment is archived.' })
}
