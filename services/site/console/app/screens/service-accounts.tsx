import { type Signal, useSignal } from '@preact/signals'
import { command, market, post, type ServiceAccount, type ServiceAccountKey } from '../api.ts'
import { useList } from '../data.ts'
import { date, time } from '../format.ts'
import { permits } from '../me.ts'
import { fill, t } from '../texts.ts'
import { chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { Field, textOf, textsOf, timeOf } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Badge } from '../ui/page.tsx'
import { Secret, type ShownSecret } from '../ui/secret.tsx'
import { Empty } from '../ui/states.tsx'
import { OrganizationPage } from './organization.tsx'
import { RoleChoices, RolesAction } from './people.tsx'

interface KeysProps {
  account: ServiceAccount
  secret: Signal<ShownSecret | undefined>
}

function Keys({ account: { id }, secret }: KeysProps) {
  const keys = useList('/flows/v1/service-accounts/{id}/keys', { path: { id } }, ({ clientId }) => clientId)
  const create = async (data: FormData) => {
    const expireTime = timeOf(data, 'expireTime')
    const networks = textOf(data, 'networks')?.split(/[\s,]+/)
    const body = {
      ...textsOf(data, 'description'),
      ...(expireTime && { expireTime }),
      ...(networks && { networks }),
    }
    const key = await post('/flows/v1/service-accounts/{id}/keys', id, body)
    const values = [
      [t.serviceAccounts.clientId, key.clientId],
      [t.serviceAccounts.clientSecret, key.clientSecret],
    ] as const
    secret.value = { title: t.serviceAccounts.newKey, hint: t.serviceAccounts.keyHint, values }
  }
  const revoke = (keyId: string) => post('/flows/v1/service-accounts/{id}/keys/{keyId}/revoke', { id, keyId })
  const stateOf = ({ revokedTime, expireTime }: ServiceAccountKey) =>
    revokedTime !== undefined || (expireTime !== undefined && expireTime < new Date().toISOString())
      ? 'INACTIVE'
      : 'ACTIVE'
  return (
    <>
      {keys.data?.length === 0 && <Empty>{t.serviceAccounts.noKeys}</Empty>}
      <ul class="items">
        {keys.data?.map((key) => (
          <li key={key.clientId}>
            <span>
              <code>{key.clientId}</code> <Badge of="active" state={stateOf(key)} />
              <br />
              <small class="quiet">
                {[
                  key.description,
                  key.networks.join(', '),
                  key.lastUsedTime
                    ? fill(t.serviceAccounts.lastUsed, {
                        when: time(key.lastUsedTime),
                        address: key.lastUsedAddress ?? '',
                      })
                    : t.serviceAccounts.neverUsed,
                  key.expireTime && fill(t.serviceAccounts.expires, { day: date(key.expireTime) }),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </small>
            </span>
            <Action
              label={t.serviceAccounts.revoke}
              hint={t.serviceAccounts.revokeHint}
              when={permits('POST /flows/v1/service-accounts/{id}/keys/{keyId}/revoke') && stateOf(key) === 'ACTIVE'}
              isDangerous
              onRun={() => revoke(key.clientId)}
            />
          </li>
        ))}
      </ul>
      <Action
        label={t.serviceAccounts.newKey}
        when={permits('POST /flows/v1/service-accounts/{id}/keys')}
        onRun={create}
      >
        <Field name="description" label={t.serviceAccounts.use} isOptional isFocused />
        <Field name="expireTime" label={t.serviceAccounts.ends} type="date" isOptional />
        <Field name="networks" label={t.serviceAccounts.networks} hint={t.serviceAccounts.networksHint} isOptional />
      </Action>
    </>
  )
}

/** Keys are read while they are shown. */
function KeysOnRequest(keys: KeysProps) {
  const isOpen = useSignal(false)
  return (
    <details
      class="keys"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open
      }}
    >
      <summary>{t.serviceAccounts.keys}</summary>
      {isOpen.value && <Keys {...keys} />}
    </details>
  )
}

const AccountActions = ({ account: { id, active } }: { account: ServiceAccount }) => (
  <div class="actions">
    <RolesAction userId={id} />
    <Action
      label={t.people.deactivate}
      hint={t.serviceAccounts.deactivateHint}
      when={permits('POST /flows/v1/users/{id}/deactivate') && active}
      isDangerous
      onRun={() => post('/flows/v1/users/{id}/deactivate', id)}
    />
    <Action
      label={t.people.activate}
      when={permits('POST /flows/v1/users/{id}/activate') && !active}
      onRun={() => post('/flows/v1/users/{id}/activate', id)}
    />
  </div>
)

/** The programs of the organization, with their roles and keys. */
export function ServiceAccounts() {
  const secret = useSignal<ShownSecret | undefined>(undefined)
  const list = useList('/flows/v1/service-accounts', {})
  const create = (data: FormData) => {
    const name = textOf(data, 'name') ?? ''
    const body = { name, roleIds: chosenIn(data, 'roleIds'), ...textsOf(data, 'description') }
    return command(() => market.POST('/flows/v1/service-accounts', { body }))
  }
  return (
    <OrganizationPage
      actions={
        <Action
          label={t.serviceAccounts.create}
          hint={t.serviceAccounts.createHint}
          when={permits('POST /flows/v1/service-accounts')}
          isPrimary
          onRun={create}
        >
          <Field name="name" label={t.people.name} isFocused />
          <Field name="description" label={t.parts.description} isOptional />
          <RoleChoices />
        </Action>
      }
    >
      <ListTable
        caption={t.organization.serviceAccounts}
        list={list}
        columns={[
          {
            label: t.people.name,
            cell: ({ name, description }) => (
              <>
                <strong>{name}</strong>
                <br />
                <small class="quiet">{description}</small>
              </>
            ),
          },
          { label: t.serviceAccounts.keys, cell: (account) => <KeysOnRequest account={account} secret={secret} /> },
          { label: t.ui.state, cell: ({ active }) => <Badge of="active" state={active ? 'ACTIVE' : 'INACTIVE'} /> },
          { label: t.ui.actions, cell: (account) => <AccountActions account={account} /> },
        ]}
      />
      <Secret shown={secret} />
    </OrganizationPage>
  )
}
