import type { Signal } from '@preact/signals'
import { command, type ImpersonationGrant, market, type Person, post } from '../api.ts'
import { useList } from '../data.ts'
import { time } from '../format.ts'
import { me, permits } from '../me.ts'
import { personName, UserName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action, Reason, reasonOf } from '../ui/dialog.tsx'
import { Field, localTime, textOf, timeOf } from '../ui/form.tsx'
import { type Column, ListTable } from '../ui/list.tsx'
import { Badge } from '../ui/page.tsx'
import type { ShownSecret } from '../ui/secret.tsx'
import { OrganizationPage } from './organization.tsx'

const HOUR_MS = 60 * 60 * 1000

/** Makes the link with which a named person, who needs no account, acts as one of the organization. */
export function ImpersonationAction({ person, link }: { person: Person; link: Signal<ShownSecret | undefined> }) {
  const { id, active } = person
  const create = async (data: FormData) => {
    const expireTime = timeOf(data, 'expireTime')
    const actingEmail = textOf(data, 'actingEmail') ?? ''
    const body = { userId: id, actingEmail, reason: reasonOf(data), ...(expireTime && { expireTime }) }
    const grant = await command(() => market.POST('/flows/v1/impersonation-grants', { body }))
    link.value = {
      title: t.impersonation.link,
      hint: fill(t.impersonation.linkHint, { email: actingEmail, end: time(grant.expireTime) }),
      values: [[actingEmail, grant.url]],
    }
  }
  const isOther = id !== me.value?.user.id && !me.value?.impersonation
  return (
    <Action
      label={t.impersonation.create}
      hint={fill(t.impersonation.createHint, { person: personName(person) })}
      when={permits('POST /flows/v1/impersonation-grants') && active && isOther}
      onRun={create}
    >
      <Field name="actingEmail" label={t.impersonation.actingEmail} type="email" isFocused />
      <Reason isLater />
      <Field
        name="expireTime"
        label={t.impersonation.ends}
        hint={t.impersonation.endsHint}
        type="datetime-local"
        value={localTime(new Date(Date.now() + HOUR_MS).toISOString())}
      />
    </Action>
  )
}

function stateOf({ redeemedTime, revokedTime, expireTime }: ImpersonationGrant) {
  if (revokedTime) return 'REVOKED'
  if (Date.parse(expireTime) <= Date.now()) return 'EXPIRED'
  return redeemedTime ? 'REDEEMED' : 'UNOPENED'
}

const isLive = (grant: ImpersonationGrant) => ['UNOPENED', 'REDEEMED'].includes(stateOf(grant))

const COLUMNS: readonly Column<ImpersonationGrant>[] = [
  {
    label: t.impersonation.person,
    cell: ({ userId }) => (
      <strong>
        <UserName id={userId} />
      </strong>
    ),
  },
  { label: t.auditLog.actedAs, cell: ({ actingEmail }) => actingEmail },
  { label: t.ui.reason, cell: ({ reason }) => reason },
  { label: t.impersonation.ends, cell: ({ expireTime }) => time(expireTime) },
  { label: t.ui.state, cell: (grant) => <Badge of="grant" state={stateOf(grant)} /> },
  {
    label: t.ui.actions,
    cell: (grant) => (
      <div class="actions">
        <Action
          label={t.serviceAccounts.revoke}
          hint={t.impersonation.revokeHint}
          when={permits('POST /flows/v1/impersonation-grants/{id}/revoke') && isLive(grant)}
          isDangerous
          onRun={() => post('/flows/v1/impersonation-grants/{id}/revoke', grant.id)}
        />
      </div>
    ),
  },
]

/** Who acts, or acted, as a person of the organization. */
export function Impersonation() {
  const list = useList('/flows/v1/impersonation-grants', {})
  return (
    <OrganizationPage>
      <p class="quiet">{t.impersonation.how}</p>
      <ListTable caption={t.organization.impersonation} list={list} columns={COLUMNS} empty={t.impersonation.empty} />
    </OrganizationPage>
  )
}
