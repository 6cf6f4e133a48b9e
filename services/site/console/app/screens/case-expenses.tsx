import { EXPENSE } from '../../../../../proto/states/cases.ts'
import { type Case, type CaseExpense, post, remove } from '../api.ts'
import { useList } from '../data.ts'
import { date, money } from '../format.ts'
import { orgId } from '../me.ts'
import { OrgName } from '../names.tsx'
import { t } from '../texts.ts'
import { Action, optionalReason, Reason } from '../ui/dialog.tsx'
import { amountOf, Field, localDay, textOf } from '../ui/form.tsx'
import { ItemList } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'

type Currency = CaseExpense['amount']['currency']

interface PartProps {
  record: Case
  /** Whether the case can be changed. */
  mayEdit: boolean
}

/** What the organization may do with an expense. In a case of one party another of its users decides. */
function Steps({ expense, record, mayEdit }: PartProps & { expense: CaseExpense }) {
  const { id: expenseId, description, amount, state, orgId: creator } = expense
  const ids = { id: record.id, expenseId }
  const isOwn = creator === orgId.value
  const isDecider = mayEdit && (!isOwn || record.partyOrgIds.length === 1)
  return (
    <span class="actions">
      <Action
        label={t.cases.reject}
        hint={description}
        when={isDecider && EXPENSE.isLegal('reject', state)}
        isDangerous
        onRun={(data) => post('/flows/v1/cases/{id}/expenses/{expenseId}/reject', ids, optionalReason(data))}
      >
        <Reason isOptional />
      </Action>
      <Action
        label={t.cases.approve}
        hint={`${description}: ${money(amount)}`}
        when={isDecider && EXPENSE.isLegal('approve', state)}
        onRun={() => post('/flows/v1/cases/{id}/expenses/{expenseId}/approve', ids)}
      />
      <Action
        label={t.ui.remove}
        hint={description}
        when={mayEdit && isOwn && EXPENSE.isLegal('delete', state)}
        isDangerous
        onRun={() => remove('/flows/v1/cases/{id}/expenses/{expenseId}', ids)}
      />
    </span>
  )
}

function Expense({ expense, ...part }: PartProps & { expense: CaseExpense }) {
  const { description, amount, incurredDate, state, reason, orgId: creator, decidedByOrgId } = expense
  return (
    <li>
      <span>
        <strong>{description}</strong> <Badge of="expense" state={state} />
        <br />
        <small class="quiet">
          <OrgName id={creator} /> · {date(incurredDate)}
          {decidedByOrgId && (
            <>
              {' '}
              · {t.cases.decidedBy}: <OrgName id={decidedByOrgId} />
            </>
          )}
        </small>
        {reason && <p class="text">{reason}</p>}
      </span>
      <span>
        {money(amount)} <Steps expense={expense} {...part} />
      </span>
    </li>
  )
}

export function Expenses({ record, mayEdit }: PartProps) {
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
          <Field name="incurredDate" label={t.cases.day} type="date" value={localDay()} />
        </Action>
      }
    >
      <ItemList list={list}>
        {(expense) => <Expense key={expense.id} expense={expense} record={record} mayEdit={mayEdit} />}
      </ItemList>
    </Section>
  )
}
