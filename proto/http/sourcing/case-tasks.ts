import { type Static, Type } from '@sinclair/typebox'
import { TASK, TASK_STATES } from '../../states/cases.ts'
import { crudOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Line, OneOf, patchOf, Text } from '../shapes.ts'
import { caseId, casesTag } from './cases.ts'

/** Maximum number of tasks of one organization in a case. */
export const MAX_TASKS = 200

const EXAMPLE_ID = 'task_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ORG = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const title = Line(200, { description: 'Title of the task.', examples: ['Send the report of the CT scan'] })
const description = Text(10_000, { description: 'Description of the task.', examples: ['As PDF, with all slices.'] })
const dueTime = DateTime('Time until which the task should be done.', { examples: ['2031-05-29T12:00:00.000Z'] })
const assigneeOrgId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Party to the case that should do the task.',
  examples: [EXAMPLE_ORG],
})

export const CaseTaskInput = closed({
  title,
  description: Type.Optional(description),
  dueTime: Type.Optional(dueTime),
  assigneeOrgId: Type.Optional(assigneeOrgId),
})
export type CaseTaskInput = Static<typeof CaseTaskInput>

export const CaseTaskPatch = patchOf(CaseTaskInput, {
  description: 'Changes the fields that are sent; null clears an optional field.',
  examples: [{ title: 'Send the report of the CT scan', dueTime: null }],
})
export type CaseTaskPatch = Static<typeof CaseTaskPatch>

export const CaseTask = closed({
  id: Type.String({ description: 'Id of the task.', examples: [EXAMPLE_ID] }),
  caseId: Type.String({ description: 'Its case.', examples: ['case_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  orgId: Type.String({ description: 'Organization that created the task.', examples: [EXAMPLE_ORG] }),
  title,
  description: Type.Optional(description),
  dueTime: Type.Optional(dueTime),
  assigneeOrgId: Type.Optional(assigneeOrgId),
  state: OneOf(TASK_STATES, { description: 'State of the task.', examples: ['OPEN'] }),
  completedTime: Type.Optional(DateTime('Time of the completion.')),
  createdTime: DateTime('Time of creation.'),
  updatedTime: DateTime('Time of the last change.'),
})
export type CaseTask = Static<typeof CaseTask>

const taskId = Type.Object({
  ...caseId.properties,
  taskId: Type.String({ description: 'Id of the task.', examples: [EXAMPLE_ID] }),
})

const crud = crudOf({
  name: 'case.task',
  path: '/flows/v1/cases/{id}/tasks',
  tag: casesTag,
  access: { read: 'case:read', write: 'case:manage' },
  params: taskId,
  input: CaseTaskInput,
  patch: CaseTaskPatch,
  response: CaseTask,
})

export const listCaseTasks = defineOperation({
  ...crud.list,
  id: 'listCaseTasks',
  summary: "List a case's tasks",
  description: 'For every party to the case, newest first.',
  params: caseId,
})

export const getCaseTask = defineOperation({
  ...crud.get,
  id: 'getCaseTask',
  summary: 'Get a task',
})

export const createCaseTask = defineOperation({
  ...crud.create,
  id: 'createCaseTask',
  summary: 'Create a task',
  description: `By any party, while the case can be changed. An organization has at most ${MAX_TASKS} tasks in a case.`,
  params: caseId,
  refusals: ['illegal_transition', 'limit_reached'],
})

const WHILE_OPEN = 'The case must be OPEN.'

export const patchCaseTask = defineOperation({
  ...crud.patch,
  id: 'patchCaseTask',
  summary: 'Change a task',
  description: `${TASK.sentence('patch')} ${WHILE_OPEN}`,
  transition: TASK.verbs.patch,
  etag: true,
  refusals: ['illegal_transition', 'precondition_failed'],
})

export const completeCaseTask = defineOperation({
  id: 'completeCaseTask',
  method: 'POST',
  path: '/flows/v1/cases/{id}/tasks/{taskId}/complete',
  tag: casesTag,
  summary: 'Complete a task',
  description: `${TASK.sentence('complete')} ${WHILE_OPEN}`,
  transition: TASK.verbs.complete,
  access: 'case:manage',
  params: taskId,
  response: CaseTask,
  etag: true,
  refusals: ['illegal_transition'],
  audit: { procedure: 'case.task.complete', request: ['id', 'taskId'] },
})

export const deleteCaseTask = defineOperation({
  ...crud.delete,
  id: 'deleteCaseTask',
  summary: 'Delete a task',
  description: `${TASK.sentence('delete')} ${WHILE_OPEN}`,
  transition: TASK.verbs.delete,
  refusals: ['illegal_transition'],
})
