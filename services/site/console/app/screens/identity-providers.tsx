import { at, command, type IdentityDomain, type IdentityProvider, market, patch, post, remove } from '../api.ts'
import { type Read, useAll, useList } from '../data.ts'
import { time } from '../format.ts'
import { permits } from '../me.ts'
import { personName } from '../names.tsx'
import { leaveFor } from '../sso.ts'
import { fill, roleName, t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Copied } from '../ui/copied.tsx'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { Field, FieldProblem, textOf } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Badge } from '../ui/page.tsx'
import { Loading, Shown } from '../ui/states.tsx'
import { OrganizationPage } from './organization.tsx'
import { Provisioning } from './provisioning.tsx'

type Role = Parameters<typeof roleName>[0] & { id: string }

/** A line for each group of a provider: `group = role`. */
const linesOf = ({ groupRoles }: IdentityProvider, roles: readonly Role[]) =>
  Object.entries(groupRoles?.map ?? {})
    .map(([group, id]) => {
      const role = roles.find((each) => each.id === id)
      return `${group} = ${role ? roleName(role) : id}`
    })
    .join('\n')

function groupsIn(text: string, roles: readonly Role[]): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const sign = line.lastIndexOf('=')
      const [group, named] = [line.slice(0, sign).trim(), line.slice(sign + 1).trim()]
      const role = roles.find((each) => [each.id, each.name, roleName(each)].includes(named))
      if (sign < 1 || !group || !role) throw new FieldProblem('groups', fill(t.identityProviders.badGroup, { line }))
      return [group, role.id]
    }),
  )
}

function ProviderFields({ provider, roles }: { provider?: IdentityProvider; roles: readonly Role[] }) {
  return (
    <>
      <Field name="name" label={t.people.name} value={provider?.name} isFocused />
      <Field
        name="issuer"
        label={t.identityProviders.issuer}
        hint={t.identityProviders.issuerHint}
        type="url"
        value={provider?.issuer}
      />
      <Field name="clientId" label={t.serviceAccounts.clientId} value={provider?.clientId} />
      <Field
        name="clientSecret"
        label={t.serviceAccounts.clientSecret}
        type="password"
        isOptional={provider !== undefined}
        {...(provider && { hint: t.identityProviders.secretHint })}
      />
      <Field
        name="domains"
        label={t.identityProviders.domains}
        hint={t.identityProviders.domainsHint}
        value={provider?.domains.map(({ name }) => name).join(', ')}
      />
      <Choices
        name="defaultRoleIds"
        label={t.identityProviders.defaultRoles}
        hint={t.identityProviders.defaultRolesHint}
        options={roles.map((role) => [role.id, roleName(role)])}
        chosen={provider?.defaultRoleIds ?? []}
      />
      <Field
        name="claim"
        label={t.identityProviders.claim}
        hint={t.identityProviders.claimHint}
        value={provider?.groupRoles?.claim}
        isOptional
      />
      <Field
        name="groups"
        label={t.identityProviders.groups}
        hint={t.identityProviders.groupsHint}
        rows={4}
        value={provider && linesOf(provider, roles)}
        isOptional
      />
    </>
  )
}

/** The content of the form, without an empty secret. */
function contentOf(data: FormData, roles: readonly Role[] | undefined) {
  if (!roles) throw new FieldProblem('', t.people.rolesUnread)
  const [claim, clientSecret] = [textOf(data, 'claim'), textOf(data, 'clientSecret')]
  return {
    name: textOf(data, 'name') ?? '',
    issuer: textOf(data, 'issuer') ?? '',
    clientId: textOf(data, 'clientId') ?? '',
    domains: (textOf(data, 'domains') ?? '').split(/[\s,]+/).filter(Boolean),
    defaultRoleIds: chosenIn(data, 'defaultRoleIds'),
    groupRoles: claim === undefined ? null : { claim, map: groupsIn(textOf(data, 'groups') ?? '', roles) },
    ...(clientSecret === undefined ? {} : { clientSecret }),
  }
}

const pathOf = (field: string) => (field.startsWith('groupRoles.') ? 'groups' : field)

function Domain({ id, domain }: { id: string; domain: IdentityDomain }) {
  const { name, state, recordName, recordValue } = domain
  return (
    <li>
      <span>
        {name} <Badge of="domain" state={state} />
      </span>
      <Action
        label={t.identityProviders.prove}
        of={name}
        hint={t.identityProviders.proveHint}
        when={permits('POST /flows/v1/identity-providers/{id}/verify-domain') && state !== 'PROVED'}
        onRun={() => post('/flows/v1/identity-providers/{id}/verify-domain', id, { domain: name })}
      >
        <Copied label={t.identityProviders.recordName} value={recordName} />
        <Copied label={t.identityProviders.recordValue} value={recordValue} />
      </Action>
    </li>
  )
}

/** The administrators of whom one keeps the password. They are read while the dialog is open. */
function Administrators({ chosen }: { chosen: string | undefined }) {
  const { data } = useList('/v1/users', { query: { admin: true, active: true, pageSize: 50 } })
  if (!data) return <Loading />
  return (
    <Field
      name="breakGlassUserId"
      label={t.identityProviders.breakGlass}
      value={chosen}
      options={data.map((user) => [user.id, `${personName(user)} (${user.email})`])}
    />
  )
}

function ProviderActions({ provider, roles }: { provider: IdentityProvider; roles: Read<readonly Role[]> }) {
  const { id, name, enforce, breakGlassUserId } = provider
  const may = permits('PATCH /flows/v1/identity-providers/{id}')
  const path = '/flows/v1/identity-providers/{id}'
  const enforceBy = (data: FormData) => {
    const userId = textOf(data, 'breakGlassUserId')
    return patch(path, id, { enforce: true, ...(userId && { breakGlassUserId: userId }) })
  }
  return (
    <div class="actions">
      <Edit
        label={t.verbs.patch}
        of={name}
        submit={t.ui.save}
        when={may}
        isWide
        form={{ pathOf }}
        read={() => market.GET(path, at(id))}
        onRun={async (data, headers) => patch(path, id, contentOf(data, roles.data), headers)}
      >
        {(present) => <Shown read={roles}>{(known) => <ProviderFields provider={present} roles={known} />}</Shown>}
      </Edit>
      <Action
        label={t.identityProviders.test}
        of={name}
        hint={t.identityProviders.testHint}
        when={permits('POST /flows/v1/identity-providers/{id}/test')}
        onRun={async () => leaveFor((await post('/flows/v1/identity-providers/{id}/test', id)).authorizationUrl)}
      />
      <Action
        label={t.identityProviders.enforce}
        of={name}
        hint={t.identityProviders.enforceHint}
        when={may && !enforce}
        onRun={enforceBy}
      >
        <Administrators chosen={breakGlassUserId} />
      </Action>
      <Action
        label={t.identityProviders.stopEnforcing}
        of={name}
        hint={t.identityProviders.stopEnforcingHint}
        when={may && enforce}
        isDangerous
        onRun={() => patch(path, id, { enforce: false })}
      />
      <Action
        label={t.ui.remove}
        of={name}
        hint={t.identityProviders.removeHint}
        when={permits('DELETE /flows/v1/identity-providers/{id}')}
        isDangerous
        onRun={() => remove(path, { id })}
      />
    </div>
  )
}

const TestResult = ({ provider: { test } }: { provider: IdentityProvider }) => {
  if (!test) return <>{t.identityProviders.untested}</>
  const { succeeded, email, problem } = test
  return (
    <>
      <Badge of="test" state={succeeded ? 'SUCCEEDED' : 'FAILED'} /> <small class="quiet">{time(test.time)}</small>
      <br />
      <small class="quiet">{succeeded ? email : problem}</small>
    </>
  )
}

/** The providers by which people of the organization sign in. */
export function IdentityProviders() {
  const list = useList('/flows/v1/identity-providers', {})
  const roles = useAll('/v1/roles', {})
  const create = async (data: FormData) => {
    const { groupRoles, clientSecret = '', ...content } = contentOf(data, roles.data)
    const body = { ...content, clientSecret, ...(groupRoles && { groupRoles }) }
    return command(() => market.POST('/flows/v1/identity-providers', { body }))
  }
  return (
    <OrganizationPage
      below={<Provisioning />}
      actions={
        <Action
          label={t.identityProviders.create}
          hint={t.identityProviders.createHint}
          when={permits('POST /flows/v1/identity-providers')}
          isPrimary
          isWide
          form={{ pathOf }}
          onRun={create}
        >
          <Shown read={roles}>{(known) => <ProviderFields roles={known} />}</Shown>
        </Action>
      }
    >
      <ListTable
        caption={t.organization.identityProviders}
        list={list}
        columns={[
          {
            label: t.people.name,
            cell: ({ name, issuer, redirectUrl, enforce }) => (
              <>
                <strong>{name}</strong> {enforce && <Badge of="provider" state="ENFORCED" />}
                <br />
                <small class="quiet">{issuer}</small>
                <Copied label={t.identityProviders.redirectUrl} value={redirectUrl} />
              </>
            ),
          },
          {
            label: t.identityProviders.domains,
            cell: ({ id, domains }) => (
              <ul class="items">
                {domains.map((domain) => (
                  <Domain key={domain.name} id={id} domain={domain} />
                ))}
              </ul>
            ),
          },
          { label: t.identityProviders.test, cell: (provider) => <TestResult provider={provider} /> },
          {
            label: t.ui.actions,
            cell: (provider) => <ProviderActions provider={provider} roles={roles} />,
          },
        ]}
      />
    </OrganizationPage>
  )
}
