import { CASE } from '../../../../../proto/states/cases.ts'
import { at, type Case, type CaseExpense, type CaseTask, command, market, patch, post, remove } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { date, money, time } from '../format.ts'
import { mayUse, orgId, permits } from '../me.ts'
import { OrgName, orgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Documents } from '../ui/documents.tsx'
import { Edit } from '../ui/edit.tsx'
import { amountOf, Field, localTime, textOf, timeOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { About, CaseFields } from './cases.tsx'

type Currency = CaseExpense['amount']['currency']

interface PartProps {
  record: Case
  /** Whether its content, tasks and expenses can be changed. */
  mayEdit: boolean
}

function Steps({ record, mayEdit }: PartProps) {
  const { id } = record
  const change = (data: FormData, headers: { 'If-Match': string }) => {
    const body = { title: textOf(data, 'title') ?? '', description: textOf(data, 'description') ?? null }
    return patch('/flows/v1/cases/{id}', id, body, headers)
  }
  return (
    <>
      {(['archive', 'unarchive', 'reopen', 'close'] as const).map((verb) => (
        <Action
          key={verb}
          label={t.cases.verbs[verb]}
          hint={t.cases.hints[verb]}
          when={mayUse(CASE, verb, record)}
          onRun={() => post(`/flows/v1/cases/{id}/${verb}`, id)}
        />
      ))}
      <Edit label={t.verbs.patch} when={mayEdit} read={() => market.GET('/flows/v1/cases/{id}', at(id))} onRun={change}>
        {(present) => <CaseFields record={present} />}
      </Edit>
    </>
  )
}

function Task({ task, record, mayEdit }: PartProps & { task: CaseTask }) {
  const { id: taskId, title, description, dueTime, assigneeOrgId, state, completedTime, orgId: creator } = task
  const params = { path: { id: record.id, taskId } }
  return (
    <li>
      <span>
        <strong>{title}</strong> <Badge of="task" state={state} />
        {description ? <p class="text">{description}</p> : <br />}
        <small class="quiet">
          {assigneeOrgId && (
            <>
              {t.cases.assignee}: <OrgName id={assigneeOrgId} />{' '}
            </>
          )}
          {completedTime
            ? fill(t.orders.doneOn, { day: date(completedTime) })
            : dueTime && `${t.home.due} ${date(dueTime)}`}
        </small>
      </span>
      <span class="actions">
        <Action
          label={t.cases.complete}
          hint={title}
          when={mayEdit && state === 'OPEN'}
          onRun={() => command(() => market.POST('/flows/v1/cases/{id}/tasks/{taskId}/complete', { params }))}
        />
        <Action
          label={t.ui.remove}
          hint={title}
          when={mayEdit && creator === orgId.value}
          isDangerous
          onRun={() => remove('/flows/v1/cases/{id}/tasks/{taskId}', params.path)}
        />
      </span>
    </li>
  )
}

function Tasks({ record, mayEdit }: PartProps) {
  const { id, partyOrgIds } = record
  const list = useList('/flows/v1/cases/{id}/tasks', { path: { id } })
  const add = (data: FormData) => {
    const [description, dueTime] = [textOf(data, 'description'), timeOf(data, 'dueTime')]
    const assigneeOrgId = textOf(data, 'assigneeOrgId')
    return post('/flows/v1/cases/{id}/tasks', id, {
      title: textOf(data, 'title') ?? '',
      ...(description && { description }),
      ...(dueTime && { dueTime }),
      ...(assigneeOrgId && { assigneeOrgId }),
    })
  }
  return (
    <Section
      title={t.cases.tasks}
      actions={
        <Action label={t.cases.addTask} when={mayEdit} onRun={add}>
          <Field name="title" label={t.cases.title} isFocused />
          <Field name="description" label={t.parts.description} rows={3} isOptional />
          <Field name="dueTime" label={t.orders.due} type="date" isOptional />
          <Field
            name="assigneeOrgId"
            label={t.cases.assignee}
            options={[['', '–'], ...partyOrgIds.map((each) => [each, orgName(each)] as const)]}
          />
        </Action>
      }
    >
      <Shown read={list} lines={2}>
        {(tasks) =>
          tasks.length === 0 ? (
            <Empty />
          ) : (
            <ul class="items">
              {tasks.map((task) => (
                <Task key={task.id} task={task} record={record} mayEdit={mayEdit} />
              ))}
            </ul>
          )
        }
      </Shown>
      <More list={list} />
    </Section>
  )
}

const More = ({ list }: { list: { hasMore: boolean; showMore: () => void } }) =>
  list.hasMore ? (
    <button type="button" class="more" onClick={list.showMore}>
      {t.ui.more}
    </button>
  ) : null

function Expenses({ record, mayEdit }: PartProps) {
  const { id } = record
  const list = useList('/flows/v1/cases/{id}/expenses', { path: { id } })
  const add = (data: FormData) =>
    post('/flows/v1/cases/{id}/expenses', id, {
      description: textOf(data, 'description') ?? '',
      amount: {
        amount: amountOf(data, 'amount.amount') ?? '',
        currency: (textOf(data, 'amount.currency') ?? '') as Currency,
      },
      incurredDate: textOf(data, 'incurredDate') ?? '',
    })
  return (
    <Section
      title={t.cases.expenses}
      actions={
        <Action label={t.cases.addExpense} hint={t.cases.expenseHint} when={mayEdit} onRun={add}>
          <Field name="description" label={t.cases.spentOn} isFocused />
          <div class="columns">
            <Field name="amount.amount" label={t.cases.amount} type="number" />
            <Field
              name="amount.currency"
              label={t.rfqs.currency}
              value="EUR"
              options={Intl.supportedValuesOf('currency').map((code) => [code, code])}
            />
          </div>
          <Field
            name="incurredDate"
            label={t.cases.day}
            type="date"
            value={localTime(new Date().toISOString()).slice(0, 10)}
          />
        </Action>
      }
    >
      <Shown read={list} lines={2}>
        {(expenses) =>
          expenses.length === 0 ? (
            <Empty />
          ) : (
            <ul class="items">
              {expenses.map(({ id: each, orgId: creator, description, amount, incurredDate }) => (
                <li key={each}>
                  <span>
                    <strong>{description}</strong>
                    <br />
                    <small class="quiet">
                      <OrgName id={creator} /> · {date(incurredDate)}
                    </small>
                  </span>
                  <span>
                    {money(amount)}{' '}
                    <Action
                      label={t.ui.remove}
                      hint={description}
                      when={mayEdit && creator === orgId.value}
                      isDangerous
                      onRun={() => remove('/flows/v1/cases/{id}/expenses/{expenseId}', { id, expenseId: each })}
                    />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <More list={list} />
    </Section>
  )
}

export function CaseScreen({ id = '' }: { id?: string }) {
  const read = useRecord('/flows/v1/cases/{id}', { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(record) => {
        const mayEdit = record.state === 'OPEN' && permits('PATCH /flows/v1/cases/{id}')
        const part = { record, mayEdit }
        return (
          <Page
            title={record.title}
            over={
              <>
                <a href="/console/cases">{t.nav.cases}</a> · {t.cases.kinds[record.kind]}
              </>
            }
            badge={<Badge of="case" state={record.state} />}
            actions={<Steps {...part} />}
          >
            <div class="beside">
              <div class="stack">
                <Tasks {...part} />
                <Expenses {...part} />
              </div>
              <div class="stack">
                <Section title={t.cases.case}>
                  {record.description && <p class="text">{record.description}</p>}
                  <Facts
                    of={[
                      [t.cases.about, <About key="about" of={record} />],
                      [t.cases.openedBy, <OrgName key="org" id={record.orgId} />],
                      [
                        t.cases.parties,
                        <ul key="parties" class="items">
                          {record.partyOrgIds.map((each) => (
                            <li key={each}>
                              <OrgName id={each} />
                            </li>
                          ))}
                        </ul>,
                      ],
                      [t.cases.closedBy, record.closedByOrgId && <OrgName key="closer" id={record.closedByOrgId} />],
                      [t.cases.created, time(record.createdTime)],
                      [t.parts.updated, time(record.updatedTime)],
                    ]}
                  />
                </Section>
                <Documents
                  of="case"
                  id={id}
                  mayAdd={record.state === 'OPEN' && permits('PATCH /flows/v1/cases/{id}/files')}
                />
              </div>
            </div>
          </Page>
        )
      }}
    </Shown>
  )
}
