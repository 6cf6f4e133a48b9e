import { expect, test } from 'bun:test'
import type { RevokedServiceAccountKey, ServiceAccountKey } from '../../../proto/http/organization/service-accounts.ts'
import type { Page } from '../../testing/people.ts'
import { scimAccount, scimWorld } from '../../testing/scim.ts'
import { ACCOUNTS } from '../../testing/service-accounts.ts'
import { PROVIDERS, prove, providerInput } from '../../testing/sso.ts'

const { market, dns, idp, org, admin, domain } = await scimWorld()

/** What the revocation of the only key of an account lists, oldest first. */
async function actsOf(accountId: string) {
  const keys = await admin.get<Page<ServiceAccountKey>>(`${ACCOUNTS}/${accountId}/keys`)
  const path = `${ACCOUNTS}/${accountId}/keys/${keys.body.items[0]?.clientId}/revoke`
  const { body } = await admin.post<RevokedServiceAccountKey>(path)
  return body.lastingActs.map(({ procedure, subjectId }) => [procedure, subjectId]).reverse()
}

test('the revocation of a stolen key lists its changes of identity providers and sign-in settings', async () => {
  const { api, userId } = await scimAccount(market, admin)
  const created = await api.post<Parameters<typeof prove>[2]>(PROVIDERS, providerInput(idp))
  const { id, domains } = created.body
  expect((await prove(api, dns, created.body, domains[0]?.name ?? '')).status).toBe(200)
  expect((await api.send('PATCH', `${PROVIDERS}/${id}`, { body: { name: 'Changed' } })).status).toBe(200)
  expect((await api.send('DELETE', `${PROVIDERS}/${id}`)).status).toBe(204)
  await market.db.owner`update organization.organizations set second_factor = true where id = ${org.orgId}`
  const settings = await api.send('PATCH', '/flows/v1/sign-in-settings', { body: { secondFactor: false } })
  expect(settings.status).toBe(200)
  expect(await actsOf(userId)).toEqual([
    ['identityProvider.create', id],
    ['identityProvider.verifyDomain', id],
    ['identityProvider.patch', id],
    ['identityProvider.delete', id],
    ['signInSettings.patch', undefined],
  ])
})

test('it lists users and roles that the key changed by SCIM, without changed names and withdrawn roles', async () => {
  const scim = await scimAccount(market, admin)
  const user = await scim.created('/Users', { userName: `${crypto.randomUUID()}@${domain}` })
  const change = async (path: string, ...operations: object[]) =>
    expect([200, 204]).toContain((await scim.operate(path, ...operations)).status)
  await change(`/Users/${user.id}`, { op: 'replace', path: 'name.givenName', value: 'Ida' })
  await change(`/Users/${user.id}`, { op: 'replace', path: 'userName', value: `${crypto.randomUUID()}@${domain}` })
  await change(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false })
  await change(`/Users/${user.id}`, { op: 'replace', path: 'active', value: true })
  const members = [{ value: user.id }]
  await scim.created('/Groups', { displayName: crypto.randomUUID() })
  const role = await scim.created('/Groups', { displayName: crypto.randomUUID(), members })
  await change(`/Groups/${role.id}`, { op: 'remove', path: 'members' })
  await change(`/Groups/${role.id}`, { op: 'add', path: 'members', value: members })
  expect((await scim.api.post(`/flows/v1/users/${user.id}/reset-passkeys`)).status).toBe(204)
  expect(await actsOf(scim.userId)).toEqual([
    ['user.create', user.id],
    ['user.provision', user.id],
    ['user.provision', user.id],
    ['role.create', role.id],
    ['role.provision', role.id],
    ['user.resetPasskeys', user.id],
  ])
})
