import { useSignal } from '@preact/signals'
import { post, type Registration } from '../api.ts'
import { useList } from '../data.ts'
import { time } from '../format.ts'
import { permits } from '../me.ts'
import { personName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action, Reason, reasonOf } from '../ui/dialog.tsx'
import { Field } from '../ui/form.tsx'
import { bind, type Column, Filter, ListTable } from '../ui/list.tsx'
import { Address, Badge } from '../ui/page.tsx'
import { Secret, type ShownSecret } from '../ui/secret.tsx'
import { OrganizationPage } from './organization.tsx'

type Role = Registration['organization']['roles'][number]

const ROLES = Object.entries(t.orgRoles) as [Role, string][]

/** The companies that ask to join, for the operator. */
export function Registrations() {
  const state = useSignal<'PENDING' | 'APPROVED' | 'REJECTED'>('PENDING')
  const link = useSignal<ShownSecret | undefined>(undefined)
  const list = useList('/flows/v1/registrations', { query: { state: state.value } })
  const approve = async ({ id, user }: Registration, data: FormData) => {
    const body = { roles: chosenIn<Role>(data, 'roles'), name: String(data.get('name')) }
    const { activationUrl } = await post('/flows/v1/registrations/{id}/approve', id, body)
    if (activationUrl) {
      link.value = {
        title: fill(t.registrations.approvedLink, { email: user.email }),
        hint: t.registrations.approvedLinkHint,
        values: [[user.email, activationUrl]],
      }
    }
  }
  const columns: readonly Column<Registration>[] = [
    {
      label: t.registrations.name,
      cell: ({ organization: { name, regionCode, website } }) => (
        <>
          <strong>{name}</strong> {regionCode}
          {website && <small class="quiet"> {website}</small>}
        </>
      ),
    },
    {
      label: t.registrations.applicant,
      cell: ({ user }) => (
        <>
          {personName(user)}{' '}
          <small class="quiet">
            <Address of={user.email} />
          </small>
        </>
      ),
    },
    {
      label: t.registrations.requested,
      cell: ({ organization }) => organization.roles.map((role) => t.orgRoles[role]).join(', '),
    },
    {
      label: t.registrations.similar,
      cell: ({ similar }) =>
        similar.map(({ orgId, name, because }) => (
          <p key={`${orgId} ${because}`}>
            {name} <small class="quiet">{t.registrations.because[because]}</small>
          </p>
        )),
    },
    {
      label: t.ui.state,
      cell: (registration) => (
        <>
          <Badge of="registration" state={registration.state} />{' '}
          <small class="quiet">{time(registration.decidedTime ?? registration.createdTime)}</small>
          {registration.reason && <p class="quiet">{registration.reason}</p>}
        </>
      ),
    },
    {
      label: t.ui.actions,
      cell: (registration) => (
        <div class="actions">
          <Action
            label={t.registrations.approve}
            hint={fill(t.registrations.approveHint, {
              company: registration.organization.name,
              email: registration.user.email,
            })}
            when={registration.state === 'PENDING' && permits('POST /flows/v1/registrations/{id}/approve')}
            onRun={(data) => approve(registration, data)}
          >
            <Field name="name" label={t.registrations.name} value={registration.organization.name} isFocused />
            <Choices
              name="roles"
              label={t.registrations.requested}
              options={ROLES}
              chosen={registration.organization.roles}
            />
          </Action>
          <Action
            label={t.registrations.reject}
            hint={fill(t.registrations.rejectHint, { email: registration.user.email })}
            when={registration.state === 'PENDING' && permits('POST /flows/v1/registrations/{id}/reject')}
            isDangerous
            onRun={(data) => post('/flows/v1/registrations/{id}/reject', registration.id, { reason: reasonOf(data) })}
          >
            <Reason />
          </Action>
        </div>
      ),
    },
  ]
  return (
    <OrganizationPage>
      <div class="filters">
        <Filter
          label={t.ui.state}
          options={(['PENDING', 'APPROVED', 'REJECTED'] as const).map((one) => [one, t.states.registration[one]])}
          {...bind(state)}
        />
      </div>
      <ListTable
        caption={t.registrations.list}
        list={list}
        columns={columns}
        empty={state.value === 'PENDING' ? t.registrations.empty : t.registrations.emptyOf}
      />
      <Secret shown={link} />
    </OrganizationPage>
  )
}
