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
import type { Tx } from '../../../kit/db/client.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import { found, invalid, notFound, refuse, requireValid } from '../../../kit/errors/refusal.ts'
import { requireMatch } from '../../../kit/http/entity-tags.ts'
import { notifyParties } from '../../notifications/emit.ts'
import * as subrecords from '../../subrecords/queries.ts'
import { lockCase, requireLegal } from '../commands.ts'
import { findUser, lockAssignee } from './queries.ts'
import { type AssignedTask, assigneeProblems, contentOf, patchedTask, unknownUser, userProblems } from './rules.ts'

const KIND = 'task'

/** Creates a task of the caller's organization. */
export async function createTask({
  tx,
  caller: { orgId, userId },
  params,
  body,
  now,
  audit,
}: CommandOf<typeof api.createCaseTask>): Promise<JsonText> {
  await lockSent(tx, orgId, body)
  const parent = await lockCase(tx, orgId, params.id)
  await requireAssignee(tx, orgId, parent, body)
  await requireLegal(tx, 'edit', parent, now)
  const siblings = { kind: KIND, parentId: parent.id } as const
  const [{ count }] = await subrecords.countSubrecords(tx, orgId, siblings)
  if (count >= MAX_TASKS) {
    throw refuse('limit_reached', { detail: `An organization has at most ${MAX_TASKS} tasks in a case.` })
  }
  const id = newIdAt('task', now)
  const times = { createdTime: now, updatedTime: now }
  const task: CaseTask = { id, caseId: parent.id, orgId, ...contentOf(orgId, body), ...times }
  const created = { task, userId: body.assigneeUserId ?? null }
  await subrecords.insertSubrecord(tx, orgId, { ...rowOf(created), userId })
  audit.add({ taskId: id })
  await notify(tx, parent, 'created', created)
  return textFor(orgId, created)
}

/** Locks the user that a request names. */
async function lockSent(tx: Tx, orgId: string, sent: { assigneeUserId?: string | null } | undefined): Promise<void> {
  if (typeof sent?.assigneeUserId === 'string') await lockAssignee(tx, orgId, sent.assigneeUserId)
}

/** Throws 400 for an organization or a user that the caller cannot name. */
async function requireAssignee(
  tx: Tx,
  orgId: string,
  parent: Case,
  sent: CaseTaskInput | CaseTaskPatch,
): Promise<void> {
  requireValid([...assigneeProblems(parent, sent), ...userProblems(orgId, sent)])
  await requireUser(tx, orgId, sent.assigneeUserId)
}

async function requireUser(tx: Tx, orgId: string, userId: string | null | undefined): Promise<void> {
  if (typeof userId !== 'string') return
  if ((await findUser(tx, orgId, userId)).length === 0) throw invalid([unknownUser(userId)])
}

/** Changes an own task. A patch without a change writes nothing. */
export async function patchTask({
  tx,
  caller: { orgId, userId },
  params,
  body,
  ifMatch,
  now,
}: CommandOf<typeof api.patchCaseTask>): Promise<JsonText> {
  await lockSent(tx, orgId, body)
  const parent = await lockCase(tx, orgId, params.id)
  const present = presentOf(found(await subrecords.lockOwnSubrecord(tx, orgId, keyOf(params))))
  await requireAssignee(tx, orgId, parent, body)
  requireMatch(ifMatch, JSON.stringify(taskFor(orgId, present)))
  await requireLegal(tx, 'edit', parent, now)
  requireTransition(TASK, 'patch', present.task.state)
  const changed = patchedTask(orgId, present, body)
  return save(tx, { parent, present, changed, orgId, userId, now })
}

/** Names the user of the caller's organization who should do a task. */
export async function assignTask({
  tx,
  caller: { orgId, userId },
  params,
  body,
  now,
}: CommandOf<typeof api.assignCaseTask>): Promise<JsonText> {
  await lockSent(tx, orgId, body)
  const parent = await lockCase(tx, orgId, params.id)
  const present = presentOf(found(await subrecords.lockSubrecord(tx, keyOf(params))))
  if (present.task.assigneeOrgId !== orgId) throw notFound()
  const { assigneeUserId = null } = body ?? {}
  await requireUser(tx, orgId, assigneeUserId)
  await requireLegal(tx, 'edit', parent, now)
  requireTransition(TASK, 'assign', present.task.state)
  return save(tx, { parent, present, changed: { ...present, userId: assigneeUserId }, orgId, userId, now })
}

interface Change {
  parent: Case
  present: AssignedTask
  changed: AssignedTask
  orgId: string
  userId: string
  now: string
}

/** Stores a changed task. Other organizations do not learn of a change of the user alone, nor of its time. */
async function save(tx: Tx, { parent, present, changed, orgId, userId, now }: Change): Promise<JsonText> {
  const isForAll = !Bun.deepEquals(changed.task, present.task)
  if (!isForAll && changed.userId === present.userId) return textFor(orgId, present)
  const saved = isForAll ? { ...changed, task: { ...changed.task, updatedTime: now } } : changed
  await subrecords.updateSubrecord(tx, { ...rowOf(saved), userId })
  await notify(tx, parent, 'updated', saved, isForAll)
  return textFor(orgId, saved)
}

/** Completes a task of any party; of two concurrent calls one gets 409. */
export async function completeTask({
  tx,
  caller: { orgId },
  params,
  now,
}: CommandOf<typeof api.completeCaseTask>): Promise<JsonText> {
  const parent = await lockCase(tx, orgId, params.id)
  const present = presentOf(found(await subrecords.lockSubrecord(tx, keyOf(params))))
  await requireLegal(tx, 'edit', parent, now)
  requireTransition(TASK, 'complete', present.task.state)
  const { createdTime, updatedTime: _, ...rest } = present.task
  const times = { completedTime: now, createdTime, updatedTime: now }
  const completed = { ...present, task: { ...rest, state: TASK.verbs.complete.to, ...times } }
  await subrecords.updateSubrecord(tx, rowOf(completed))
  await notify(tx, parent, 'completed', completed)
  return textFor(orgId, completed)
}

/** Deletes an own task. */
export async function deleteTask({
  tx,
  caller: { orgId },
  params,
  now,
}: CommandOf<typeof api.deleteCaseTask>): Promise<undefined> {
  const parent = await lockCase(tx, orgId, params.id)
  const key = keyOf(params)
  const present = presentOf(found(await subrecords.lockOwnSubrecord(tx, orgId, key)))
  await requireLegal(tx, 'edit', parent, now)
  requireTransition(TASK, 'delete', present.task.state)
  await subrecords.deleteSubrecord(tx, orgId, key)
  await notify(tx, parent, 'deleted', present)
  return undefined
}

const keyOf = ({ id, taskId }: { id: string; taskId: string }) => ({ kind: KIND, parentId: id, id: taskId }) as const

const presentOf = ({ document, assignee_user_id: userId }: subrecords.SubrecordRow): AssignedTask => ({
  task: JSON.parse(document),
  userId,
})

const rowOf = ({ task, userId }: AssignedTask) => ({
  ...({ kind: KIND, parentId: task.caseId, id: task.id } as const),
  document: JSON.stringify(task),
  assigneeUserId: userId,
})

/** A task as an organization reads it: only the assignee learns of its user. */
const taskFor = (orgId: string, { task, userId }: AssignedTask): CaseTask =>
  userId !== null && task.assigneeOrgId === orgId ? { ...task, assigneeUserId: userId } : task

const textFor = (orgId: string, assigned: AssignedTask) => new JsonText(JSON.stringify(taskFor(orgId, assigned)))

/** Notifies each party of what it reads. `isForAll`: the change is not of the user alone. */
async function notify(
  tx: Tx,
  parent: Case,
  change: 'created' | 'updated' | 'completed' | 'deleted',
  assigned: AssignedTask,
  isForAll = true,
): Promise<void> {
  const { assigneeOrgId } = assigned.task
  const toOrgIds = parent.partyOrgIds.filter((orgId) => isForAll || orgId === assigneeOrgId)
  await notifyParties(
    tx,
    toOrgIds.map((orgId) => ({
      type: `cases.tasks.${change}` as const,
      data: { case: parent, task: taskFor(orgId, assigned) },
      toOrgIds: [orgId],
    })),
  )
}
