import type { FieldError } from '../../../../proto/errors.ts'
import {
  type CaseTask,
  type CaseTaskInput,
  type CaseTaskPatch,
  type CaseTaskState,
  MAX_TASKS,
} from '../../../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import { noSuch, oneOf } from '../../../../proto/messages.ts'
import { utcOf, yearProblems } from '../../rfqs/rules.ts'
import { isParty } from '../rules.ts'
import { TASK_TRANSITIONS, type TaskVerb } from './states.ts'

export const hasTooManyTasks = (count: number): boolean => count >= MAX_TASKS

/** An assignee that is no party to the case. Unknown ids and other organizations are alike. */
export const assigneeProblems = (
  of: Pick<Case, 'partyOrgIds'>,
  { assigneeOrgId }: { assigneeOrgId?: string | null },
): FieldError[] =>
  assigneeOrgId === undefined || assigneeOrgId === null || isParty(of, assigneeOrgId)
    ? []
    : [{ field: 'assigneeOrgId', message: noSuch('party', assigneeOrgId, 'to this case') }]

/** Problems of a body that its schema cannot express. */
export const bodyProblems = ({ dueTime }: { dueTime?: string | null }): FieldError[] =>
  dueTime === undefined || dueTime === null ? [] : yearProblems('dueTime', dueTime)

/** The content of a task, as it is stored. */
export const contentOf = ({ title, description, dueTime, assigneeOrgId }: CaseTaskInput) => ({
  title,
  description: description ?? null,
  dueTime: dueTime === undefined ? null : utcOf(dueTime),
  assigneeOrgId: assigneeOrgId ?? null,
})
export type TaskContent = ReturnType<typeof contentOf>

/** The content after a patch: sent fields replace the stored ones, null clears a field. */
export function patchedContent(task: CaseTask, patch: CaseTaskPatch): TaskContent {
  const merged = Object.entries({ ...task, ...patch }).filter(([, value]) => value !== null)
  return contentOf(Object.fromEntries(merged) as unknown as CaseTaskInput)
}

export const illegal = (state: CaseTaskState, verb: TaskVerb) =>
  `The task is ${state}, not ${oneOf(TASK_TRANSITIONS[verb].from)}.`
