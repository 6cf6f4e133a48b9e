import {
  type CaseTask,
  type CaseTaskInput,
  type CaseTaskPatch,
  MAX_TASKS,
} from '../../../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import type { AuditContext } from '../../../kit/audit/context.ts'
import { recordSuccess } from '../../../kit/audit/record.ts'
import type { BeginCommand } from '../../../kit/auth/authorized.ts'
import type { Tx } from '../../../kit/db/client.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import { found, invalid, notFound, refuse } from '../../../kit/errors/refusal.ts'
import { requireMatch } from '../../../kit/http/entity-tags.ts'
import { once } from '../../../kit/idempotency/once.ts'
import { type CommandDeps, lockCase, requireLegal as requireLegalOfCase } from '../commands.ts'
import { notifyOfCases } from '../events.ts'
import * as queries from './queries.ts'
import { assigneeProblems, contentOf, hasTooManyTasks, illegal, patchedContent } from './rules.ts'
import { isLegal, TASK_TRANSITIONS, type TaskVerb } from './states.ts'

interface CreateTask {
  begin: BeginCommand
  params: { id: string }
  body: CaseTaskInput
  audit: AuditContext
  idempotencyKey: string | undefined
}

/** Creates a task of the caller's organization. */
export function createTask({ clock }: CommandDeps, { begin, params, body, audit, idempotencyKey }: CreateTask) {
  const now = new Date(clock()).toISOString()
  return begin((tx, { userId, orgId }) => {
    const request = { userId, operation: 'createCaseTask', key: idempotencyKey, body: { ...params, ...body } }
    return once(tx, request, now, async (): Promise<CaseTask> => {
      const of = await lockCase(tx, orgId, params.id)
      requireAssignee(of, body)
      await requireLegalOfCase(tx, 'edit', of, now)
      const [{ count }] = await queries.countTasks(tx, orgId, of.id)
      if (hasTooManyTasks(count)) {
        throw refuse('limit_reached', { detail: `An organization has at most ${MAX_TASKS} tasks in a case.` })
      }
      const id = newIdAt('task', now)
      const [row] = await queries.insertTask(tx, { id, caseId: of.id, orgId, ...contentOf(body) }, now)
      await recordSuccess(tx, { ...audit, request: { ...audit.request, taskId: id } })
      const task: CaseTask = JSON.parse(row.document)
      await notifyOfCases(tx, [{ type: 'cases.tasks.created', data: { case: of, task } }])
      return task
    })
  })
}

interface ChangeTask {
  begin: BeginCommand
  params: queries.TaskKey
  audit: AuditContext
}

/** Changes an own task. A patch without a change writes nothing. */
export function patchTask(
  { clock }: CommandDeps,
  { begin, params, body, ifMatch, audit }: ChangeTask & { body: CaseTaskPatch; ifMatch: string | undefined },
): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { of, task, document } = await lockTask(tx, orgId, 'patch', params)
    requireAssignee(of, body)
    requireMatch(ifMatch, document)
    await requireLegal(tx, 'patch', of, task, now)
    await recordSuccess(tx, audit)
    const content = patchedContent(task, body)
    if (Bun.deepEquals(content, contentOf(task))) return new JsonText(document)
    const { document: changed } = found(await queries.updateContent(tx, orgId, params, content, now))
    await notifyOfCases(tx, [{ type: 'cases.tasks.updated', data: { case: of, task: JSON.parse(changed) } }])
    return new JsonText(changed)
  })
}

/** Completes a task of any party; of two concurrent calls one gets 409. */
export function completeTask({ clock }: CommandDeps, { begin, params, audit }: ChangeTask): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { of, task } = await lockTask(tx, orgId, 'complete', params)
    await requireLegal(tx, 'complete', of, task, now)
    const { document } = found(await queries.completeTask(tx, params, now))
    await recordSuccess(tx, audit)
    await notifyOfCases(tx, [{ type: 'cases.tasks.completed', data: { case: of, task: JSON.parse(document) } }])
    return new JsonText(document)
  })
}

/** Deletes an own task. */
export function deleteTask({ clock }: CommandDeps, { begin, params, audit }: ChangeTask): Promise<undefined> {
  const now = new Date(clock()).toISOString()
  return begin(async (tx, { orgId }) => {
    const { of, task } = await lockTask(tx, orgId, 'delete', params)
    await requireLegal(tx, 'delete', of, task, now)
    await queries.deleteTask(tx, orgId, params)
    await recordSuccess(tx, audit)
    await notifyOfCases(tx, [{ type: 'cases.tasks.deleted', data: { case: of, task } }])
    return undefined
  })
}

interface LockedTask {
  of: Case
  task: CaseTask
  document: string
}

/** A task on which the organization may use the verb, with its locked case; otherwise 404. */
async function lockTask(tx: Tx, orgId: string, verb: TaskVerb, key: queries.TaskKey): Promise<LockedTask> {
  const of = await lockCase(tx, orgId, key.id)
  const { document } = found(await queries.findTask(tx, orgId, key))
  const task: CaseTask = JSON.parse(document)
  if (TASK_TRANSITIONS[verb].by === 'creator' && task.orgId !== orgId) throw notFound()
  return { of, task, document }
}

function requireAssignee(of: Case, sent: { assigneeOrgId?: string | null }): void {
  const problems = assigneeProblems(of, sent)
  if (problems.length > 0) throw invalid(problems)
}

async function requireLegal(tx: Tx, verb: TaskVerb, of: Case, { state }: CaseTask, now: string): Promise<void> {
  await requireLegalOfCase(tx, 'edit', of, now)
  if (!isLegal(verb, state)) throw refuse('illegal_transition', { detail: illegal(state, verb) })
}
