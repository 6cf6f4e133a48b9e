import { dayOf } from '../../../../proto/durations.ts'
import { type FieldError, problem } from '../../../../proto/errors.ts'
import type { CaseTask, CaseTaskInput, CaseTaskPatch } from '../../../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import { utcOf } from '../../../../proto/http/times.ts'
import { noSuch } from '../../../../proto/messages.ts'
import { isParty } from '../rules.ts'

/** Problems of a task that its schema cannot express: it is due at one time. */
export const dueProblems = ({ dueTime, dueDate }: CaseTaskInput | CaseTaskPatch): FieldError[] =>
  dueTime !== undefined && dueDate !== undefined ? [problem('dueDate', 'must not be sent with dueTime')] : []

/** An assignee that is no party to the case. The message does not say whether such an organization exists. */
export const assigneeProblems = (
  parent: Pick<Case, 'partyOrgIds'>,
  { assigneeOrgId }: { assigneeOrgId?: string | null | undefined },
): FieldError[] =>
  assigneeOrgId === undefined || assigneeOrgId === null || isParty(parent, assigneeOrgId)
    ? []
    : [{ field: 'assigneeOrgId', message: noSuch('party', assigneeOrgId, 'to this case') }]

export const unknownUser = (id: string): FieldError =>
  problem('assigneeUserId', noSuch('user', id, 'of your organization'))

/** Problems of a request that names a user and another organization than the user's. */
export const userProblems = (
  orgId: string,
  { assigneeOrgId, assigneeUserId }: CaseTaskInput | CaseTaskPatch,
): FieldError[] =>
  typeof assigneeUserId === 'string' && assigneeOrgId !== undefined && assigneeOrgId !== orgId
    ? [problem('assigneeUserId', 'must not be sent with another organization')]
    : []

/** The content of a task for all parties. */
type TaskContent = Pick<CaseTask, 'title' | 'description' | 'dueTime' | 'dueDate' | 'assigneeOrgId' | 'state'>

/** The end of a day in UTC. */
const endOf = (date: string) => `${date}T23:59:59.999Z`

/** The content as it is stored. A new task is OPEN. Its user brings its organization. */
export const contentOf = (
  orgId: string,
  { title, description, dueTime, dueDate, assigneeOrgId, assigneeUserId }: CaseTaskInput,
): TaskContent => ({
  title,
  ...(description === undefined ? {} : { description }),
  ...dueOf(dueDate === undefined ? dueTime : endOf(dueDate)),
  ...assigneeOf(assigneeUserId === undefined ? assigneeOrgId : orgId),
  state: 'OPEN',
})

const dueOf = (time: string | undefined) => {
  if (time === undefined) return {}
  const dueTime = utcOf(time)
  return { dueTime, dueDate: dayOf(dueTime) }
}

const assigneeOf = (assigneeOrgId: string | undefined) => (assigneeOrgId === undefined ? {} : { assigneeOrgId })

/** A task with its user, whom only one organization reads. */
export interface AssignedTask {
  task: CaseTask
  userId: string | null
}

/**
 * A task after a patch: sent fields replace the stored ones, null clears a field. A new assignee has no user yet, and
 * the user of another organization stays.
 */
export function patchedTask(orgId: string, { task, userId }: AssignedTask, patch: CaseTaskPatch): AssignedTask {
  const { id, caseId, createdTime, updatedTime, orgId: creator, title, ...present } = task
  const sent = {
    title: patch.title ?? title,
    description: valueAfter(patch.description, present.description),
    dueTime: valueAfter(patch.dueDate === undefined ? patch.dueTime : endOrNull(patch.dueDate), present.dueTime),
    assigneeOrgId: valueAfter(patch.assigneeOrgId, present.assigneeOrgId),
    assigneeUserId: patch.assigneeUserId ?? undefined,
  }
  const content = contentOf(orgId, sent as CaseTaskInput)
  return {
    task: { id, caseId, orgId: creator, ...content, createdTime, updatedTime },
    userId:
      content.assigneeOrgId === orgId && patch.assigneeUserId !== undefined
        ? patch.assigneeUserId
        : content.assigneeOrgId === present.assigneeOrgId
          ? userId
          : null,
  }
}

const endOrNull = (date: string | null) => (date === null ? null : endOf(date))

/** The value of a field after a patch. */
const valueAfter = <T>(sent: T | null | undefined, present: T | undefined): T | undefined =>
  sent === null ? undefined : (sent ?? present)
