import { type Static, Type } from '@sinclair/typebox'
import { TASK, TASK_STATES } from '../../states/cases.ts'
import { crudOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Day, Id, Line, OneOf, PageOf, pageQuery, patchOf, Text } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { caseId, casesTag } from './cases.ts'

/** Maximum number of tasks of one organization in a case. */
export const MAX_TASKS = 200

const EXAMPLE_ID = 'task_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ORG = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_USER = 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const title = Line(200, { description: 'Title of the task.', examples: ['Send the report of the CT scan'] })
const description = Text(10_000, { description: 'Description of the task.', examples: ['As PDF, with all slices.'] })
const dueTime = DateTime('Time until which the task should be done.', { examples: ['2031-05-29T12:00:00.000Z'] })
const dueDate = Day(
  'Day in UTC until whose end the task should be done, as YYYY-MM-DD: the day of `dueTime`.',
  '2031-05-29',
)
const assigneeOrgId = Id('Party to the case that should do the task.', EXAMPLE_ORG)

const assigneeUserId = Id(
  'User of your organization who should do the task. Its organization is then the assignee.',
  EXAMPLE_USER,
)

export const CaseTaskInput = closed({
  title,
  description: Type.Optional(description),
  dueTime: Type.Optional(dueTime),
  dueDate: Type.Optional({
    ...dueDate,
    description: 'Instead of `dueTime`: the day in UTC until whose end the task should be done, as YYYY-MM-DD.',
  }),
  assigneeOrgId: Type.Optional(assigneeOrgId),
  assigneeUserId: Type.Optional(assigneeUserId),
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
  dueDate: Type.Optional(dueDate),
  assigneeOrgId: Type.Optional(assigneeOrgId),
  assigneeUserId: Type.Optional(
    Type.String({
      description: 'User who should do the task; only for the organization of the user.',
      examples: [EXAMPLE_USER],
    }),
  ),
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
  summary: 'Get a task',
})

export const createCaseTask = defineOperation({
  ...crud.create,
  summary: 'Create a task',
  description: `By any party, while the case can be changed. An organization has at most ${MAX_TASKS} tasks in a case.`,
  params: caseId,
  refusals: ['illegal_transition', 'limit_reached'],
})

const WHILE_OPEN = 'The case must be OPEN.'

export const patchCaseTask = defineOperation({
  ...crud.patch,
  summary: 'Change a task',
  description: `${TASK.sentence('patch')} ${WHILE_OPEN}`,
  transition: TASK.verbs.patch,
  etag: true,
  refusals: ['illegal_transition'],
})

const verb = verbsOf({
  name: 'case.task',
  table: TASK,
  path: '/flows/v1/cases/{id}/tasks/{taskId}',
  tag: casesTag,
  params: taskId,
  response: CaseTask,
})

export const completeCaseTask = defineOperation({
  ...verb('complete', { note: WHILE_OPEN }),
  summary: 'Complete a task',
  access: 'case:manage',
})

export const deleteCaseTask = defineOperation({
  ...crud.delete,
  summary: 'Delete a task',
  description: `${TASK.sentence('delete')} ${WHILE_OPEN}`,
  transition: TASK.verbs.delete,
  refusals: ['illegal_transition'],
})

export const assignCaseTask = defineOperation({
  ...verb('assign', {
    logged: ['assigneeUserId'],
    note: `${WHILE_OPEN} Neither the user nor the change is visible to other parties.`,
  }),
  summary: 'Assign a task to a user',
  access: 'case:manage',
  body: closed(
    {
      assigneeUserId: Type.Optional({
        ...assigneeUserId,
        description: 'User of your organization who should do the task. Absent: no user.',
      }),
    },
    { description: 'Who should do the task.', examples: [{ assigneeUserId: EXAMPLE_USER }] },
  ),
  bodyOptional: true,
})

export const listTasks = defineOperation({
  id: 'listTasks',
  method: 'GET',
  path: '/flows/v1/tasks',
  tag: casesTag,
  summary: 'List tasks',
  description: 'The tasks of all cases to which your organization is a party, newest first.',
  access: 'case:read',
  query: Type.Object({
    ...pageQuery,
    assigneeId: Type.Optional(
      Type.String({
        description: 'Id of the organization, or of the user of your organization, that should do the task.',
        examples: [EXAMPLE_USER],
      }),
    ),
    state: Type.Optional(OneOf(TASK_STATES, { description: 'State of the task.', examples: ['OPEN'] })),
    dueBefore: Type.Optional(
      DateTime('Only tasks that are due before this time.', { examples: ['2031-06-01T00:00:00.000Z'] }),
    ),
  }),
  response: PageOf(CaseTask),
})
