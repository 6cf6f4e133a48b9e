import type { FiltersOf } from '../../../../proto/http/operation.ts'
import type * as api from '../../../../proto/http/sourcing/case-tasks.ts'
import type { Sql, Tx } from '../../../kit/db/client.ts'
import { and } from '../../../kit/db/conditions.ts'
import { lockByName } from '../../../kit/db/locks.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'

/** The JSON of a task for an organization, on rows of `sourcing.subrecords`. Only that of the user reads the user. */
export const documentFor = (sql: Sql, orgId: string) => sql`case
  when assignee_user_id is not null and document::json ->> 'assigneeOrgId' = ${orgId}
  then concat(left(document, -1), ',"assigneeUserId":', to_json(assignee_user_id), '}') else document end`

/**
 * Serializes the assignments to a user with the removal of the user from tasks. Both lock before any record, and query
 * the user in a later statement: either the assignment is refused, or the removal finds it.
 */
export const lockAssignee = (tx: Tx, orgId: string, userId: string) =>
  lockByName(tx, 'task assignee', `${orgId} ${userId}`)

/** An active user of the organization; no row for another one. */
export const findUser = (tx: Tx, orgId: string, userId: string) => tx<{ user_id: string }[]>`
  select user_id from organization.callers where user_id = ${userId} and org_id = ${orgId} and active`

/** Other organizations do not know the user, so that nothing changes for them. */
export const unassignTasks = (tx: Tx, orgId: string, userId: string, limit: number) => tx`
  update sourcing.subrecords set assignee_user_id = null where id = any(array(
    select id from sourcing.case_work
    where org_id = ${orgId} and kind = 'task' and assignee_user_id = ${userId} and state = 'OPEN'
    order by id desc limit ${limit}))`

type TaskListing = PageWindow & FiltersOf<typeof api.listTasks>

/** The tasks of the cases of an organization, newest first. */
export const listTasks = (
  sql: Sql,
  orgId: string,
  { assigneeId, state, dueBefore, after, limit, offset }: TaskListing,
) => sql<DocumentRow[]>`
  select page.id as position, (
    select ${documentFor(sql, orgId)} from sourcing.subrecords where id = page.id) as document
  from (
    select id from sourcing.case_work
    where org_id = ${orgId} and kind = 'task' and id < ${after ?? NEWEST_ID} and ${and(
      sql,
      assigneeId !== undefined &&
        (assigneeId.startsWith('org_') ? sql`assignee_org_id = ${assigneeId}` : sql`assignee_user_id = ${assigneeId}`),
      state !== undefined && sql`state = ${state}`,
      dueBefore !== undefined && sql`due_at < ${dueBefore}`,
    )}
    order by id desc limit ${limit} offset ${offset}
  ) page
  order by page.id desc`
