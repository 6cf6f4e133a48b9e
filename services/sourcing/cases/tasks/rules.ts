import type { FieldError } from '../../../../proto/errors.ts'
import type { CaseTaskInput } from '../../../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import { utcOf } from '../../../../proto/http/times.ts'
import { noSuch } from '../../../../proto/messages.ts'
import { isParty } from '../rules.ts'

/** An assignee that is no party to the case. The message does not say whether such an organization exists. */
export const assigneeProblems = (
  parent: Pick<Case, 'partyOrgIds'>,
  { assigneeOrgId }: { assigneeOrgId?: string | null | undefined },
): FieldError[] =>
  assigneeOrgId === undefined || assigneeOrgId === null || isParty(parent, assigneeOrgId)
    ? []
    : [{ field: 'assigneeOrgId', message: noSuch('party', assigneeOrgId, 'to this case') }]

/** The content of a task, as it is stored. A new task is OPEN. */
export const contentOf = ({ title, description, dueTime, assigneeOrgId }: CaseTaskInput) => ({
  title,
  description,
  dueTime: dueTime === undefined ? undefined : utcOf(dueTime),
  assigneeOrgId,
  state: 'OPEN' as const,
})
