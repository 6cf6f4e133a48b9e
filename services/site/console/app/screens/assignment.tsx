import type { Assignment as AssignmentRecord, Order } from '../api.ts'
import { post, remove } from '../api.ts'
import { useAll, useList } from '../data.ts'
import { date, region } from '../format.ts'
import { orgId, permits } from '../me.ts'
import { OrgName } from '../names.tsx'
import { t } from '../texts.ts'
import { CountryField } from '../ui/choices.tsx'
import { Action, Reason, reasonOf } from '../ui/dialog.tsx'
import { Field, textOf, textsOf } from '../ui/form.tsx'
import { ItemList } from '../ui/list.tsx'
import { Section } from '../ui/page.tsx'

function Contacts({ id, mayChange }: { id: string; mayChange: boolean }) {
  const list = useAll('/flows/v1/assignments/{id}/contacts', { path: { id } })
  const add = (data: FormData) =>
    post('/flows/v1/assignments/{id}/contacts', id, { name: '', ...textsOf(data, 'name', 'role', 'email', 'phone') })
  return (
    <Section
      title={t.assignment.contacts}
      actions={
        <Action label={t.assignment.addContact} when={mayChange} onRun={add}>
          <Field name="name" label={t.assignment.name} isFocused />
          <Field name="role" label={t.assignment.role} isOptional />
          <Field name="email" label={t.signIn.email} type="email" isOptional />
          <Field name="phone" label={t.assignment.phone} type="tel" isOptional />
        </Action>
      }
    >
      <ItemList list={list}>
        {({ id: contactId, orgId: owner, name, role, email, phone }) => (
          <li key={contactId}>
            <span>
              <strong>{name}</strong> {role}
              <br />
              <small class="quiet">
                <OrgName id={owner} />
              </small>
            </span>
            <span>
              {email && <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>}{' '}
              {phone && <a href={`tel:${phone}`}>{phone}</a>}{' '}
              <Action
                label={t.ui.remove}
                hint={name}
                when={mayChange && owner === orgId.value}
                isDangerous
                onRun={() => remove('/flows/v1/assignments/{id}/contacts/{contactId}', { id, contactId })}
              />
            </span>
          </li>
        )}
      </ItemList>
    </Section>
  )
}

function Billing({ id, mayChange }: { id: string; mayChange: boolean }) {
  const list = useAll('/flows/v1/assignments/{id}/billing-details', { path: { id } })
  const add = (data: FormData) => {
    const lines = textOf(data, 'address.lines')?.split('\n') ?? []
    const address = {
      regionCode: textOf(data, 'address.regionCode') ?? '',
      locality: textOf(data, 'address.locality') ?? '',
      lines,
      ...(textOf(data, 'address.postalCode') && { postalCode: textOf(data, 'address.postalCode') as string }),
    }
    const texts = textsOf(data, 'companyName', 'taxId', 'email', 'reference')
    return post('/flows/v1/assignments/{id}/billing-details', id, { companyName: '', ...texts, address })
  }
  return (
    <Section
      title={t.assignment.billing}
      actions={
        <Action label={t.assignment.addBilling} when={mayChange} onRun={add}>
          <Field name="companyName" label={t.assignment.company} isFocused />
          <Field name="address.lines" label={t.assignment.lines} rows={2} />
          <div class="columns">
            <Field name="address.postalCode" label={t.assignment.postalCode} isOptional />
            <Field name="address.locality" label={t.assignment.locality} />
            <CountryField name="address.regionCode" label={t.assignment.country} />
          </div>
          <Field name="taxId" label={t.assignment.taxId} isOptional />
          <Field name="email" label={t.signIn.email} type="email" isOptional />
          <Field name="reference" label={t.assignment.reference} isOptional />
        </Action>
      }
    >
      <ItemList list={list}>
        {({ id: billingDetailsId, orgId: owner, companyName, address, taxId, email, reference }) => (
          <li key={billingDetailsId}>
            <span>
              <strong>{companyName}</strong>
              <br />
              {[...address.lines, [address.postalCode, address.locality].filter(Boolean).join(' ')].join(', ')},{' '}
              {region(address.regionCode)}
            </span>
            <span class="quiet">
              {[taxId, email, reference].filter(Boolean).join(' · ')}{' '}
              <Action
                label={t.ui.remove}
                hint={companyName}
                when={mayChange && owner === orgId.value}
                isDangerous
                onRun={() =>
                  remove('/flows/v1/assignments/{id}/billing-details/{billingDetailsId}', { id, billingDetailsId })
                }
              />
            </span>
          </li>
        )}
      </ItemList>
    </Section>
  )
}

/** Later days of delivery, which the manufacturer announces. */
function Extensions({ id, dueDate, mayExtend }: { id: string; dueDate: string; mayExtend: boolean }) {
  const { data = [] } = useAll('/flows/v1/assignments/{id}/extensions', { path: { id } })
  const extend = (data: FormData) =>
    post('/flows/v1/assignments/{id}/extensions', id, {
      dueDate: textOf(data, 'dueDate') ?? '',
      reason: reasonOf(data),
    })
  if (data.length === 0 && !mayExtend) return null
  return (
    <Section
      title={t.assignment.delivery}
      actions={
        <Action label={t.assignment.extend} when={mayExtend} onRun={extend}>
          <Field name="dueDate" label={t.assignment.newDate} type="date" value={dueDate} />
          <Reason />
        </Action>
      }
    >
      <ul class="items">
        <li>
          <span>{t.assignment.expected}</span> {date(dueDate)}
        </li>
        {data.map(({ id: each, previousDueDate, dueDate: later, reason }) => (
          <li key={each}>
            <span>{reason}</span>
            <span class="quiet">
              {date(previousDueDate)} → {date(later)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** What the organizations of an order tell each other: contacts, billing details and a later delivery. */
export function Assignment({ orderId, order }: { orderId: string; order: Order }) {
  const list = useList('/flows/v1/assignments', { query: { orderId } })
  const assignment: AssignmentRecord | undefined = list.data?.[0]
  if (!assignment) return null
  const { id, archived, dueDate } = assignment
  const may = (operation: string) => !archived && permits(operation)
  return (
    <>
      <Extensions
        id={id}
        dueDate={dueDate}
        mayExtend={order.manufacturerOrgId === orgId.value && may('POST /flows/v1/assignments/{id}/extensions')}
      />
      <Contacts id={id} mayChange={may('POST /flows/v1/assignments/{id}/contacts')} />
      <Billing id={id} mayChange={may('POST /flows/v1/assignments/{id}/billing-details')} />
    </>
  )
}
