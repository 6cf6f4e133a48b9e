import { type Signal, useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { at, command, market, type Person, patch, post } from '../api.ts'
import { useAll, useList } from '../data.ts'
import { me, permits } from '../me.ts'
import { personName } from '../names.tsx'
import { fill, roleName, t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { Field, FieldProblem, textOf } from '../ui/form.tsx'
import { bind, type Column, Filter, ListTable, orAll, Search } from '../ui/list.tsx'
import { Address, Badge } from '../ui/page.tsx'
import { Picture } from '../ui/picture.tsx'
import { Secret, type ShownSecret } from '../ui/secret.tsx'
import { Shown } from '../ui/states.tsx'
import { ImpersonationAction } from './impersonation.tsx'
import { OrganizationPage } from './organization.tsx'

type Role = Parameters<typeof roleName>[0] & { id: string }

/** A link that was mailed is not shown. */
const linkOf = (email: string, activationUrl: string | undefined): ShownSecret =>
  activationUrl === undefined
    ? { title: t.people.mailed, hint: fill(t.people.mailedHint, { email }), values: [] }
    : { title: t.people.link, hint: t.people.linkHint, values: [[email, activationUrl]] }

const ByMail = () => <Field name="mail" label={t.people.byMail} hint={t.people.byMailHint} type="checkbox" />

/** The roles of the organization to choose from, where a user has some. They are read while the dialog is open. */
export function RoleChoices({ userId }: { userId?: string }) {
  const all = useAll('/v1/roles', {})
  return (
    <Shown read={all}>
      {(roles) =>
        userId ? <HeldRoleChoices roles={roles} userId={userId} /> : <ShownRoleChoices roles={roles} held={[]} />
      }
    </Shown>
  )
}

function HeldRoleChoices({ roles, userId }: { roles: readonly Role[]; userId: string }) {
  const read = useAll('/v1/roles', { query: { userId } })
  return (
    <Shown read={read}>
      {(own) => {
        const held = own.map(({ id }) => id).filter((id) => roles.some((role) => role.id === id))
        return <ShownRoleChoices roles={roles} held={held} />
      }}
    </Shown>
  )
}

const ShownRoleChoices = ({ roles, held }: { roles: readonly Role[]; held: readonly string[] }) => (
  <>
    <input type="hidden" name="areRolesShown" value="true" />
    {held.map((id) => (
      <input key={id} type="hidden" name="heldRoleIds" value={id} />
    ))}
    <Choices
      name="roleIds"
      label={t.organization.roles}
      options={roles.map((role) => [role.id, roleName(role)])}
      chosen={held}
    />
  </>
)

/** Grants and withdraws roles until the user has the chosen ones. */
async function changeRoles(userId: string, data: FormData) {
  if (!data.has('areRolesShown')) throw new FieldProblem('', t.people.rolesUnread)
  const change = (id: string, verb: 'grant' | 'withdraw') => post(`/flows/v1/roles/{id}/${verb}`, id, { userId })
  const [before, after] = [chosenIn(data, 'heldRoleIds'), chosenIn(data, 'roleIds')]
  for (const id of after.filter((one) => !before.includes(one))) await change(id, 'grant')
  for (const id of before.filter((one) => !after.includes(one))) await change(id, 'withdraw')
}

export const RolesAction = ({ userId }: { userId: string }) => (
  <Action
    label={t.organization.roles}
    submit={t.ui.save}
    when={permits('POST /flows/v1/roles/{id}/grant')}
    onRun={(data) => changeRoles(userId, data)}
  >
    <RoleChoices userId={userId} />
  </Action>
)

/** What an administrator can do with one person. */
function PersonActions({ user, link }: { user: Person; link: Signal<ShownSecret | undefined> }) {
  const { id } = user
  const isSelf = id === me.value?.user.id
  const change = (data: FormData, headers: { 'If-Match': string }) => {
    const names = { givenName: textOf(data, 'givenName') ?? '', familyName: textOf(data, 'familyName') ?? '' }
    return patch('/flows/v1/users/{id}', id, { ...names, phone: textOf(data, 'phone') ?? null }, headers)
  }
  const reset = async (data: FormData) => {
    const { activationUrl } = await post('/flows/v1/users/{id}/reset-password', id, { mail: data.has('mail') })
    link.value = linkOf(user.email, activationUrl)
  }
  const may = (verb: string) => permits(`POST /flows/v1/users/{id}/${verb}`)
  return (
    <div class="actions">
      <RolesAction userId={id} />
      <Edit
        label={t.verbs.patch}
        of={user.email}
        submit={t.ui.save}
        when={permits('PATCH /flows/v1/users/{id}')}
        read={() => market.GET('/v1/users/{id}', at(id))}
        onRun={change}
      >
        {({ givenName, familyName, phone }) => (
          <>
            <Field name="givenName" label={t.people.givenName} value={givenName} isFocused />
            <Field name="familyName" label={t.people.familyName} value={familyName} />
            <Field name="phone" label={t.assignment.phone} type="tel" value={phone} isOptional />
          </>
        )}
      </Edit>
      <Action
        label={t.people.reset}
        hint={t.people.resetHint}
        when={may('reset-password') && user.active && !isSelf}
        onRun={reset}
      >
        <ByMail />
      </Action>
      <Action
        label={t.people.resetPasskeys}
        of={`${personName(user)} (${user.email})`}
        hint={t.people.resetPasskeysHint}
        when={may('reset-passkeys') && user.active && !isSelf}
        isDangerous
        onRun={() => post('/flows/v1/users/{id}/reset-passkeys', id)}
      />
      <ImpersonationAction person={user} link={link} />
      <Action
        label={t.people.deactivate}
        hint={t.people.deactivateHint}
        when={may('deactivate') && user.active && !isSelf}
        isDangerous
        onRun={() => post('/flows/v1/users/{id}/deactivate', id)}
      />
      <Action
        label={t.people.activate}
        when={may('activate') && !user.active}
        onRun={() => post('/flows/v1/users/{id}/activate', id)}
      />
    </div>
  )
}

export function People() {
  const q = useFilter('q', '')
  const active = useFilter<string>('active', '', ['true', 'false'])
  const link = useSignal<ShownSecret | undefined>(undefined)
  const list = useList('/flows/v1/users', {
    query: { ...setIn({ q }), ...(active.value && { active: active.value === 'true' }) },
  })
  const invite = async (data: FormData) => {
    const body = {
      email: textOf(data, 'email') ?? '',
      givenName: textOf(data, 'givenName') ?? '',
      familyName: textOf(data, 'familyName') ?? '',
      roleIds: chosenIn(data, 'roleIds'),
      mail: data.has('mail'),
    }
    const { email, activationUrl } = await command(() => market.POST('/flows/v1/users', { body }))
    link.value = linkOf(email, activationUrl)
  }
  const columns: readonly Column<Person>[] = [
    { label: t.people.name, cell: (user) => <strong>{personName(user)}</strong> },
    { label: t.signIn.email, cell: ({ email }) => <Address of={email} /> },
    {
      label: t.ui.state,
      cell: ({ active: isActive, invited, admin }) => (
        <span>
          <Badge of="active" state={invited ? 'INVITED' : isActive ? 'ACTIVE' : 'INACTIVE'} />{' '}
          {admin && <span class="badge live">{t.people.administrator}</span>}
        </span>
      ),
    },
    ...(permits('POST /flows/v1/users') || permits('POST /flows/v1/impersonation-grants')
      ? [{ label: t.ui.actions, cell: (user: Person) => <PersonActions user={user} link={link} /> }]
      : []),
  ]
  return (
    <OrganizationPage
      actions={
        <Action
          label={t.people.invite}
          icon="plus"
          when={permits('POST /flows/v1/users')}
          isAsked={useLocation().query.begin === 'new'}
          isPrimary
          onRun={invite}
        >
          <Field name="email" label={t.signIn.email} type="email" isFocused />
          <div class="columns">
            <Field name="givenName" label={t.people.givenName} />
            <Field name="familyName" label={t.people.familyName} />
          </div>
          <RoleChoices />
          <ByMail />
        </Action>
      }
    >
      <div class="filters">
        <Filter
          label={t.ui.state}
          {...bind(active)}
          options={orAll([
            ['true', t.people.activeOrInvited],
            ['false', t.states.active.INACTIVE],
          ])}
        />
        <Search {...bind(q)} />
      </div>
      <ListTable
        caption={t.organization.people}
        list={list}
        columns={columns}
        icon="users"
        picture={() => <Picture kind="person" url={undefined} alt="" />}
      />
      <Secret shown={link} />
    </OrganizationPage>
  )
}
