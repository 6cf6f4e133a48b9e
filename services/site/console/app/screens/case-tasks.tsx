import { useSignal } from '@preact/signals'
import { type Case, type CaseTask, post, remove } from '../api.ts'
import { MOST_ITEMS, useAll, useList, useRecord } from '../data.ts'
import { date } from '../format.ts'
import { orgId } from '../me.ts'
import { OrgName, orgName, personName, UserName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Field, textOf, textsOf } from '../ui/form.tsx'
import { ItemList } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'

interface PartProps {
  record: Case
  /** Whether the case can be changed. */
  mayEdit: boolean
}

/** The users of the own organization, who are read while the dialog is open, and always the present one. */
function UserField({ userId }: { userId: string | undefined }) {
  const users = useAll('/v1/users', { query: { active: true } })
  const present = useRecord(userId ? '/v1/users/{id}' : undefined, { path: { id: userId ?? '' } })
  const chosen = useSignal(userId ?? '')
  const names = new Map(users.data?.map((user) => [user.id, personName(user)]))
  if (userId && !names.has(userId)) names.set(userId, present.data ? personName(present.data) : '…')
  return (
    <Field
      name="assigneeUserId"
      label={t.cases.user}
      text={chosen}
      options={[['', '–'], ...names]}
      {...(users.hasMore && { hint: fill(t.cases.moreUsers, { count: String(MOST_ITEMS) }) })}
    />
  )
}

/** Names the user who should do a task of the own organization. */
function Assign({ task, record, mayEdit }: PartProps & { task: CaseTask }) {
  const ids = { id: record.id, taskId: task.id }
  const assign = (data: FormData) =>
    post('/flows/v1/cases/{id}/tasks/{taskId}/assign', ids, textsOf(data, 'assigneeUserId'))
  return (
    <Action
      label={t.cases.assign}
      hint={task.title}
      when={mayEdit && task.state === 'OPEN' && task.assigneeOrgId === orgId.value}
      onRun={assign}
    >
      <UserField userId={task.assigneeUserId} />
    </Action>
  )
}

function Task({ task, record, mayEdit }: PartProps & { task: CaseTask }) {
  const { id: taskId, title, description, dueDate, assigneeOrgId, assigneeUserId, state, completedTime } = task
  const ids = { id: record.id, taskId }
  return (
    <li>
      <span>
        <strong>{title}</strong> <Badge of="task" state={state} />
        {description ? <p class="text">{description}</p> : <br />}
        <small class="quiet">
          {assigneeOrgId && (
            <>
              {t.cases.assignee}: <OrgName id={assigneeOrgId} />
              {assigneeUserId && (
                <>
                  , <UserName id={assigneeUserId} />
                </>
              )}{' '}
            </>
          )}
          {completedTime
            ? fill(t.orders.doneOn, { day: date(completedTime) })
            : dueDate && `${t.home.due} ${date(dueDate)}`}
        </small>
      </span>
      <span class="actions">
        <Assign task={task} record={record} mayEdit={mayEdit} />
        <Action
          label={t.cases.complete}
          hint={title}
          when={mayEdit && state === 'OPEN'}
          onRun={() => post('/flows/v1/cases/{id}/tasks/{taskId}/complete', ids)}
        />
        <Action
          label={t.ui.remove}
          hint={title}
          when={mayEdit && task.orgId === orgId.value}
          isDangerous
          onRun={() => remove('/flows/v1/cases/{id}/tasks/{taskId}', ids)}
        />
      </span>
    </li>
  )
}

export function Tasks({ record, mayEdit }: PartProps) {
  const { id, partyOrgIds } = record
  const list = useList('/flows/v1/cases/{id}/tasks', { path: { id } })
  const add = (data: FormData) => {
    const title = textOf(data, 'title') ?? ''
    return post('/flows/v1/cases/{id}/tasks', id, {
      title,
      ...textsOf(data, 'description', 'dueDate', 'assigneeOrgId'),
    })
  }
  return (
    <Section
      title={t.cases.tasks}
      actions={
        <Action label={t.cases.addTask} when={mayEdit} onRun={add}>
          <Field name="title" label={t.cases.title} isFocused />
          <Field name="description" label={t.parts.description} rows={3} isOptional />
          <Field name="dueDate" label={t.orders.due} type="date" isOptional />
          <Field
            name="assigneeOrgId"
            label={t.cases.assignee}
            options={[['', '–'], ...partyOrgIds.map((each) => [each, orgName(each)] as const)]}
          />
        </Action>
      }
    >
      <ItemList list={list}>{(task) => <Task key={task.id} task={task} record={record} mayEdit={mayEdit} />}</ItemList>
    </Section>
  )
}
