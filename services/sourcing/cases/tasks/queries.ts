import type { Sql, Tx } from '../../../kit/db/client.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'
import { isParty } from '../visibility.ts'
import type { TaskContent } from './rules.ts'

export interface TaskKey {
  /** Id of the case. */
  id: string
  taskId: string
}

/** The JSON of a task; no row where the organization is no party to the case. */
export const findTask = (sql: Sql, orgId: string, { id, taskId }: TaskKey) => sql<{ document: string }[]>`
  select task.document from sourcing.case_tasks task
  join sourcing.cases on cases.id = task.case_id
  where task.id = ${taskId} and task.case_id = ${id} and ${isParty(sql, orgId)}`

/** The tasks of a case, newest first. The caller is a party to it. */
export const listTasks = (sql: Sql, caseId: string, { after, limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select id as position, document from sourcing.case_tasks
  where case_id = ${caseId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** The tasks that an organization created in a case. */
export const countTasks = (tx: Tx, orgId: string, caseId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from sourcing.case_tasks where case_id = ${caseId} and org_id = ${orgId}`

interface NewTask extends TaskContent {
  id: string
  caseId: string
  orgId: string
}

export const insertTask = (tx: Tx, task: NewTask, now: string) => tx<[{ document: string }]>`
  insert into sourcing.case_tasks (
    id, case_id, org_id, title, description, due_at, assignee_org_id, state, created_at, updated_at)
  values (
    ${task.id}, ${task.caseId}, ${task.orgId}, ${task.title}, ${task.description}, ${task.dueTime},
    ${task.assigneeOrgId}, 'OPEN', ${now}, ${now})
  returning document`

export const updateContent = (
  tx: Tx,
  orgId: string,
  { id, taskId }: TaskKey,
  { title, description, dueTime, assigneeOrgId }: TaskContent,
  now: string,
) => tx<{ document: string }[]>`
  update sourcing.case_tasks set title = ${title}, description = ${description}, due_at = ${dueTime},
    assignee_org_id = ${assigneeOrgId}, updated_at = ${now}
  where id = ${taskId} and case_id = ${id} and org_id = ${orgId}
  returning document`

/** No row if the task is no longer OPEN: of two concurrent calls one succeeds. */
export const completeTask = (tx: Tx, { id, taskId }: TaskKey, now: string) => tx<{ document: string }[]>`
  update sourcing.case_tasks set state = 'COMPLETED', completed_at = ${now}, updated_at = ${now}
  where id = ${taskId} and case_id = ${id} and state = 'OPEN'
  returning document`

export const deleteTask = (tx: Tx, orgId: string, { id, taskId }: TaskKey) => tx`
  delete from sourcing.case_tasks where id = ${taskId} and case_id = ${id} and org_id = ${orgId}`
