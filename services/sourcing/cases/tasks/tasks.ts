import type * as api from '../../../../proto/http/sourcing/case-tasks.ts'
import {
  type CaseTask,
  type CaseTaskInput,
  type CaseTaskPatch,
  MAX_TASKS,
} from '../../../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import { TASK } from '../../../../proto/states/cases.ts'
import type { CommandOf } from '../../../kit/command/command.ts'
import { requireTransition } from '../../../kit/command/transitions.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import { found, invalid } from '../../../kit/errors/refusal.ts'
import { subrecordCommands } from '../../subrecords/commands.ts'
import { findSubrecord, updateSubrecord } from '../../subrecords/queries.ts'
import { lockCase, requireLegal } from '../commands.ts'
import { notifyOfCases } from '../events.ts'
import { assigneeProblems, contentOf } from './rules.ts'

export const tasks = subrecordCommands<Case, CaseTaskInput, CaseTaskPatch>({
  kind: 'task',
  idName: 'taskId',
  idPrefix: 'task',
  parentField: 'caseId',
  max: MAX_TASKS,
  tooMany: `An organization has at most ${MAX_TASKS} tasks in a case.`,
  lockParent: lockCase,
  requireReferences(parent, body) {
    const problems = assigneeProblems(parent, body)
    if (problems.length > 0) throw invalid(problems)
  },
  async requireLegal(tx, parent, { verb, record }, now) {
    await requireLegal(tx, 'edit', parent, now)
    if (verb !== 'create') requireTransition(TASK, verb, (record as CaseTask).state)
  },
  contentOf,
  notify: (tx, parent, change, task) =>
    notifyOfCases(tx, [{ type: `cases.tasks.${change}`, data: { case: parent, task: task as CaseTask } }]),
})

/** Completes a task of any party; of two concurrent calls one gets 409. */
export async function completeTask({
  tx,
  caller: { orgId },
  params: { id: parentId, taskId: id },
  now,
}: CommandOf<typeof api.completeCaseTask>): Promise<JsonText> {
  const parent = await lockCase(tx, orgId, parentId)
  const key = { kind: 'task', parentId, id } as const
  const present: CaseTask = JSON.parse(found(await findSubrecord(tx, key)).document)
  await requireLegal(tx, 'edit', parent, now)
  requireTransition(TASK, 'complete', present.state)
  const task: CaseTask = { ...present, state: TASK.verbs.complete.to, completedTime: now, updatedTime: now }
  const text = JSON.stringify(task)
  await updateSubrecord(tx, key, text)
  await notifyOfCases(tx, [{ type: 'cases.tasks.completed', data: { case: parent, task } }])
  return new JsonText(text)
}
