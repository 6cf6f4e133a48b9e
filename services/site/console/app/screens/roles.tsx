import { PERMISSIONS } from '../../../../../proto/permissions.ts'
import { at, command, market, type Permission, patch, type Role, remove } from '../api.ts'
import { useList } from '../data.ts'
import { can, permits } from '../me.ts'
import { roleName, t, wordsOf } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { type Column, ListTable } from '../ui/list.tsx'
import { Code } from '../ui/page.tsx'
import { OrganizationPage } from './organization.tsx'

/** The permissions that the caller may give, and those that the role has already. */
const RoleFields = ({ role }: { role?: Role }) => (
  <>
    <Field name="name" label={t.people.name} value={role?.name} isFocused />
    <Choices
      name="permissions"
      label={t.organization.permissions}
      options={PERMISSIONS.filter((each) => can(each) || role?.permissions.includes(each)).map((each) => [
        each,
        <Code key={each} of={each} />,
      ])}
      chosen={role?.permissions ?? []}
    />
  </>
)

const contentOf = (data: FormData) => ({
  name: textOf(data, 'name') ?? '',
  permissions: chosenIn<Permission>(data, 'permissions'),
})

const RoleActions = ({ role: { id }, role }: { role: Role }) => (
  <div class="actions">
    <Edit
      label={t.verbs.patch}
      of={role.name}
      submit={t.ui.save}
      when={permits('PATCH /flows/v1/roles/{id}') && !role.system}
      read={() => market.GET('/v1/roles/{id}', at(id))}
      onRun={(data, headers) => patch('/flows/v1/roles/{id}', id, contentOf(data), headers)}
    >
      {(present) => <RoleFields role={present} />}
    </Edit>
    <Action
      label={t.ui.remove}
      of={role.name}
      when={permits('DELETE /flows/v1/roles/{id}') && !role.system}
      isDangerous
      onRun={() => remove('/flows/v1/roles/{id}', { id })}
    />
  </div>
)

const COLUMNS: readonly Column<Role>[] = [
  {
    label: t.people.name,
    cell: (role) => (
      <>
        <strong>{roleName(role)}</strong> {role.system && <span class="badge">{t.organization.system}</span>}
      </>
    ),
  },
  {
    label: t.organization.permissions,
    cell: ({ permissions }) => (
      <small class="quiet" title={permissions.join(', ')}>
        {permissions.map(wordsOf).join(', ') || '–'}
      </small>
    ),
  },
  { label: t.ui.actions, cell: (role) => <RoleActions role={role} /> },
]

export function Roles() {
  const list = useList('/v1/roles', {})
  return (
    <OrganizationPage
      actions={
        <Action
          label={t.organization.newRole}
          when={permits('POST /flows/v1/roles')}
          isPrimary
          onRun={(data) => command(() => market.POST('/flows/v1/roles', { body: contentOf(data) }))}
        >
          <RoleFields />
        </Action>
      }
    >
      <ListTable caption={t.organization.roles} list={list} columns={COLUMNS} />
    </OrganizationPage>
  )
}
