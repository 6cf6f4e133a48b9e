import { at, command, type MailAddress, market, patch, post, remove } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { me, permits } from '../me.ts'
import { t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { type Column, ListTable } from '../ui/list.tsx'
import { Shown } from '../ui/states.tsx'
import { OrganizationPage } from './organization.tsx'

type Topic = MailAddress['topics'][number]
const TOPICS = Object.entries(t.mail.topics) as [Topic, string][]

const Topics = ({ chosen }: { chosen: readonly Topic[] }) => (
  <Choices name="topics" label={t.mail.told} options={TOPICS} chosen={chosen} />
)
const topicsIn = (data: FormData) => ({ topics: chosenIn<Topic>(data, 'topics') })

const AddressActions = ({ address: { id, email, confirmed } }: { address: MailAddress }) => (
  <div class="actions">
    <Action
      label={t.mail.again}
      hint={t.mail.againHint}
      when={!confirmed && permits('POST /flows/v1/mail-addresses/{id}/send-confirmation')}
      onRun={() => post('/flows/v1/mail-addresses/{id}/send-confirmation', id)}
    />
    <Edit
      label={t.verbs.patch}
      of={email}
      submit={t.ui.save}
      when={permits('PATCH /flows/v1/mail-addresses/{id}')}
      read={() => market.GET('/flows/v1/mail-addresses/{id}', at(id))}
      onRun={(data, headers) => patch('/flows/v1/mail-addresses/{id}', id, topicsIn(data), headers)}
    >
      {(present) => <Topics chosen={present.topics} />}
    </Edit>
    <Action
      label={t.ui.remove}
      of={email}
      when={permits('DELETE /flows/v1/mail-addresses/{id}')}
      isDangerous
      onRun={() => remove('/flows/v1/mail-addresses/{id}', { id })}
    />
  </div>
)

const COLUMNS: readonly Column<MailAddress>[] = [
  { label: t.signIn.email, cell: ({ email }) => <strong>{email}</strong> },
  {
    label: t.mail.told,
    cell: ({ topics }) => <small class="quiet">{topics.map((topic) => t.mail.topics[topic]).join(', ')}</small>,
  },
  {
    label: t.ui.state,
    cell: ({ confirmed }) => (
      <span class={confirmed ? 'badge good' : 'badge wait'}>{confirmed ? t.mail.confirmed : t.mail.unconfirmed}</span>
    ),
  },
  { label: t.ui.actions, cell: (address) => <AddressActions address={address} /> },
]

const SETTINGS = '/flows/v1/notification-settings'

/** Whether administrators are notified while there is no address. */
function Administrators() {
  const settings = useRecord(SETTINGS, {})
  return (
    <Shown read={settings}>
      {({ administrators }) => (
        <div class="actions">
          <p>{administrators ? t.mail.administratorsOn : t.mail.administratorsOff}</p>
          <Action
            label={administrators ? t.mail.doNotNotify : t.mail.notify}
            hint={t.mail.notifyHint}
            when={!me.value?.impersonation && permits('PATCH /flows/v1/notification-settings')}
            onRun={() => command(() => market.PATCH(SETTINGS, { body: { administrators: !administrators } }))}
          />
        </div>
      )}
    </Shown>
  )
}

/** The addresses that receive the organization's notifications. */
export function MailAddresses() {
  const list = useList('/flows/v1/mail-addresses', {})
  const add = (data: FormData) => {
    const body = { email: textOf(data, 'email') ?? '', ...topicsIn(data) }
    return command(() => market.POST('/flows/v1/mail-addresses', { body }))
  }
  return (
    <OrganizationPage
      actions={
        <Action
          label={t.mail.add}
          hint={t.mail.addHint}
          when={permits('POST /flows/v1/mail-addresses')}
          isPrimary
          onRun={add}
        >
          <Field name="email" label={t.signIn.email} type="email" isFocused />
          <Topics chosen={TOPICS.map(([topic]) => topic)} />
        </Action>
      }
    >
      <ListTable caption={t.organization.mail} list={list} columns={COLUMNS} empty={t.mail.empty} />
      <Administrators />
    </OrganizationPage>
  )
}
