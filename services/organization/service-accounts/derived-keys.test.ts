import { describe, expect, test } from 'bun:test'
import type { Role } from '../../../proto/http/organization/roles.ts'
import type { RevokedServiceAccountKey, ServiceAccountKey } from '../../../proto/http/organization/service-accounts.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import {
  act,
  BY_BUS,
  created,
  entriesOf,
  eventsOf,
  type Page,
  type Problem,
  patch,
  tokenOf,
} from '../../testing/people.ts'
import {
  ACCOUNTS,
  type ClientKey,
  clientWith,
  createdAccount,
  createdKey,
  requestToken,
} from '../../testing/service-accounts.ts'
import { signInOverHttp } from '../../testing/sign-in.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing', 'webhooks'])
const signInInvited = signInOverHttp(market.url)
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const manager = await org.member(['user:manage', 'role:manage', 'webhook:manage'])

const newRole = async (permissions: string[]) =>
  (await admin.post<Role>('/flows/v1/roles', { name: crypto.randomUUID(), permissions })).body.id
const managing = await newRole(['user:manage', 'role:manage', 'webhook:manage'])
const editing = await newRole(['part:create'])

const revoke = (client: ApiClient, accountId: string, clientId: string, body?: object) =>
  client.post<RevokedServiceAccountKey & Problem>(`${ACCOUNTS}/${accountId}/keys/${clientId}/revoke`, body)
const grant = (roleId: string, userId: string) => admin.post<Problem>(`/flows/v1/roles/${roleId}/grant`, { userId })
const obtains = async (key: ClientKey) => (await requestToken(market.url, key)).status
const keysOf = async (accountId: string) =>
  (await admin.get<Page<ServiceAccountKey>>(`${ACCOUNTS}/${accountId}/keys`)).body.items

/** An account that manages users, with a key of the administrator. */
async function provisioner() {
  const { id } = await createdAccount(admin, { roleIds: [managing] })
  const key = await createdKey(admin, id)
  return { id, key, client: await clientWith(market.url, key) }
}

describe('the revocation of a stolen key by a person', () => {
  test('ends the keys that it led to, also through other accounts, and lists them', async () => {
    const { id, key, client } = await provisioner()
    const bystander = await createdAccount(admin, { roleIds: [managing] })
    const ofBystander = await createdKey(admin, bystander.id)
    const second = await createdKey(client, id)
    const made = await createdAccount(client, { roleIds: [managing] })
    const ofMade = await createdKey(client, made.id)
    const throughMade = await clientWith(market.url, ofMade)
    const grandchild = await createdAccount(throughMade, { roleIds: [managing] })
    const ofGrandchild = await createdKey(throughMade, grandchild.id)
    const onBystander = await createdKey(await clientWith(market.url, ofGrandchild), bystander.id)
    const tokens = await Promise.all(
      [second, ofMade, ofGrandchild, onBystander].map((each) => clientWith(market.url, each)),
    )

    const { status, body } = await revoke(admin, id, key.clientId)
    expect(status).toBe(200)
    const ended = { revokedTime: body.revokedTime as string }
    expect(body.derivedKeys).toEqual([
      { clientId: second.clientId, serviceAccountId: id, createdBy: id, createdTime: second.createdTime, ...ended },
      {
        clientId: ofMade.clientId,
        serviceAccountId: made.id,
        createdBy: id,
        createdTime: ofMade.createdTime,
        ...ended,
      },
      {
        clientId: ofGrandchild.clientId,
        serviceAccountId: grandchild.id,
        createdBy: made.id,
        createdTime: ofGrandchild.createdTime,
        ...ended,
      },
      {
        clientId: onBystander.clientId,
        serviceAccountId: bystander.id,
        createdBy: grandchild.id,
        createdTime: onBystander.createdTime,
        ...ended,
      },
    ])
    for (const each of [second, ofMade, ofGrandchild, onBystander]) {
      expect(await obtains(each)).toBe(401)
      expect(await eventsOf(market, each.clientId)).toEqual(['organization.serviceAccountKey.revoked'])
    }
    expect(await obtains(ofBystander)).toBe(200)
    await until(async () => {
      const answers = await Promise.all(tokens.map((each) => each.get('/v1/parts')))
      return answers.every((answer) => answer.status === 401)
    }, BY_BUS)
    const [entry] = (await entriesOf(market, org.orgId, 'serviceAccount.key.revoke')).slice(-1)
    expect(entry).toMatchObject({
      request: { endedKeyIds: body.derivedKeys.map(({ clientId }: { clientId: string }) => clientId) },
    })
  })

  test('ends a key that a person created for an account of its making', async () => {
    const { id, key, client } = await provisioner()
    const made = await createdAccount(client)
    const ofPerson = await createdKey(admin, made.id)
    await revoke(admin, id, key.clientId)
    expect(await obtains(ofPerson)).toBe(401)
  })

  test('with `cascade: false` lists them and leaves them', async () => {
    const { id, key, client } = await provisioner()
    const second = await createdKey(client, id)
    const { body } = await revoke(admin, id, key.clientId, { cascade: false })
    expect(body.derivedKeys).toEqual([
      { clientId: second.clientId, serviceAccountId: id, createdBy: id, createdTime: second.createdTime },
    ])
    expect(await obtains(second)).toBe(200)
    const refused = await revoke(admin, id, second.clientId, { cascade: 'no' })
    expect([refused.status, refused.body.errors?.[0]?.field]).toEqual([400, 'cascade'])
  })

  test('leaves what the account created before the key, and what an account with more permissions has', async () => {
    const { id, client } = await provisioner()
    const before = await createdAccount(client)
    const ofBefore = await createdKey(client, before.id)
    const late = await createdKey(admin, id)
    const strong = await createdAccount(await clientWith(market.url, late))
    expect((await grant(editing, strong.id)).status).toBe(200)
    const ofStrong = await createdKey(admin, strong.id)
    const { body } = await revoke(manager.client, id, late.clientId)
    expect(body.derivedKeys).toEqual([
      {
        clientId: ofStrong.clientId,
        serviceAccountId: strong.id,
        createdBy: org.administrator.userId,
        createdTime: ofStrong.createdTime,
      },
    ])
    expect([await obtains(ofBefore), await obtains(ofStrong)]).toEqual([200, 200])
  })

  test('ends what an earlier key led to, if the account created the key with that one', async () => {
    const { id, key, client } = await provisioner()
    const made = await createdAccount(client)
    const ofMade = await createdKey(client, made.id)
    const successor = await createdKey(client, id)
    expect((await revoke(await clientWith(market.url, successor), id, key.clientId)).status).toBe(200)
    expect(await obtains(ofMade)).toBe(200)
    await revoke(admin, id, successor.clientId)
    expect(await obtains(ofMade)).toBe(401)
  })
})

describe('a thief who revokes the stolen key', () => {
  const idsOf = ({ body }: { body: RevokedServiceAccountKey }) => body.derivedKeys.map(({ clientId }) => clientId)

  test('with itself cannot keep what it led to: the revocation by a person still ends that', async () => {
    const { id, key, client } = await provisioner()
    const made = await createdAccount(client, { roleIds: [managing] })
    const ofMade = await createdKey(client, made.id)
    expect((await revoke(client, id, key.clientId)).status).toBe(200)
    const kept = await revoke(admin, id, key.clientId, { cascade: false })
    expect([kept.status, kept.body.code]).toEqual([409, 'illegal_transition'])
    const again = await revoke(admin, id, key.clientId)
    expect([again.status, idsOf(again)]).toEqual([200, [ofMade.clientId]])
    expect(again.body.derivedKeys[0]?.revokedTime).toBeDefined()
    expect(await obtains(ofMade)).toBe(401)
    expect((await revoke(admin, id, key.clientId)).body.code).toBe('illegal_transition')
  })

  test('with a key that it led to cannot keep that one by `cascade: false`', async () => {
    const { id, key, client } = await provisioner()
    const made = await createdAccount(client, { roleIds: [managing] })
    const ofMade = await createdKey(client, made.id)
    const throughMade = await clientWith(market.url, ofMade)
    const answer = await revoke(throughMade, id, key.clientId, { cascade: false })
    expect([answer.status, idsOf(answer)]).toEqual([200, [ofMade.clientId]])
    expect(await obtains(ofMade)).toBe(401)
  })

  test('and has two accounts create keys of each other in turn keeps none of them', async () => {
    const { id: a, key: first, client } = await provisioner()
    const b = (await createdAccount(admin, { roleIds: [managing] })).id
    const ofB = await createdKey(client, b)
    const secondOfA = await createdKey(await clientWith(market.url, ofB), a)
    const throughSecond = await clientWith(market.url, secondOfA)
    await revoke(throughSecond, a, first.clientId)
    const secondOfB = await createdKey(throughSecond, b)
    const throughSecondOfB = await clientWith(market.url, secondOfB)
    await revoke(throughSecondOfB, b, ofB.clientId)
    const thirdOfA = await createdKey(throughSecondOfB, a)
    const answer = await revoke(admin, a, first.clientId)
    expect([answer.status, idsOf(answer)]).toEqual([200, [secondOfA.clientId, secondOfB.clientId, thirdOfA.clientId]])
    for (const each of [secondOfA, secondOfB, thirdOfA]) expect(await obtains(each)).toBe(401)
  })
})

describe('what a stolen key leaves behind', () => {
  const actsOf = ({ body }: { body: RevokedServiceAccountKey }) =>
    body.lastingActs.map(({ procedure, subjectId, actorId }) => [procedure, subjectId, actorId])

  test('is listed by the revocation, also where the thief ended the key', async () => {
    const { id, key, client } = await provisioner()
    const colleague = await created(admin)
    const invited = await created(client, { roleIds: [managing] })
    const person = await signInInvited(tokenOf(invited), invited.email)
    await patch(client, `/flows/v1/users/${colleague.id}`, { givenName: 'Only a name' })
    await patch(client, `/flows/v1/users/${colleague.id}`, { email: `${crypto.randomUUID()}@example.com` })
    await act(client, colleague.id, 'reset-password')
    await person.post(`/flows/v1/roles/${managing}/grant`, { userId: colleague.id })
    const { body } = await client.post<{ data: { id: string } }>('/v2.3/webhooks/endpoints', {
      url: 'https://hooks.example.com/in',
      events: ['cases.*'],
    })
    const endpointId = body.data.id
    await client.post(`/flows/v1/webhooks/endpoints/${endpointId}/rotate-secret`)
    await revoke(client, id, key.clientId)
    const answer = await revoke(admin, id, key.clientId)
    expect([answer.status, answer.body.derivedKeys, actsOf(answer)]).toEqual([
      200,
      [],
      [
        ['webhookEndpoint.rotateSecret', endpointId, id],
        ['webhookEndpoint.create', endpointId, id],
        ['role.grant', colleague.id, invited.id],
        ['user.resetPassword', colleague.id, id],
        ['user.patch', colleague.id, id],
        ['user.create', invited.id, id],
      ],
    ])
  })

  test('is no key of a person whom it invited, nor of those whom that person invited', async () => {
    const { id, key, client } = await provisioner()
    const activated = async (by: ApiClient) => {
      const invited = await created(by, { roleIds: [managing] })
      return signInInvited(tokenOf(invited), invited.email)
    }
    const second = await activated(await activated(client))
    const made = await createdAccount(second)
    const ofMade = await createdKey(second, made.id)
    const outsider = await createdAccount(manager.client)
    const ofOutsider = await createdKey(manager.client, outsider.id)
    // A person whom the account led to cannot keep them either.
    const { body } = await revoke(second, id, key.clientId, { cascade: false })
    expect(body.derivedKeys.map(({ clientId }) => clientId)).toEqual([ofMade.clientId])
    expect([await obtains(ofMade), await obtains(ofOutsider)]).toEqual([401, 200])
  })
})

describe('a key that is created with a key', () => {
  const NETWORKS = ['127.0.0.0/8', '::1/128']
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

  test('has its end and its networks, or narrower ones', async () => {
    const { id } = await createdAccount(admin, { roleIds: [managing] })
    const expireTime = inAnHour()
    const key = await createdKey(admin, id, { networks: NETWORKS, expireTime })
    const client = await clientWith(market.url, key)
    const made = (await createdAccount(client)).id
    expect(await createdKey(client, made)).toMatchObject({ networks: NETWORKS, expireTime })
    const narrower = { networks: ['127.0.0.1/32'], expireTime: new Date(Date.now() + 60_000).toISOString() }
    expect(await createdKey(client, made, narrower)).toMatchObject(narrower)
  })

  test('with a later end or another network is 400', async () => {
    const { id } = await createdAccount(admin, { roleIds: [managing] })
    const key = await createdKey(admin, id, { networks: NETWORKS, expireTime: inAnHour() })
    const client = await clientWith(market.url, key)
    const fieldsOf = async (body: object) => {
      const answer = await client.post<Problem>(`${ACCOUNTS}/${id}/keys`, body)
      return [answer.status, answer.body.errors?.map(({ field }) => field)]
    }
    expect(await fieldsOf({ networks: ['127.0.0.1', '8.8.8.0/24', '0.0.0.0/0'] })).toEqual([
      400,
      ['networks.1', 'networks.2'],
    ])
    expect(await fieldsOf({ expireTime: new Date(Date.now() + 7_200_000).toISOString() })).toEqual([
      400,
      ['expireTime'],
    ])
    expect((await createdKey(admin, id, { networks: ['8.8.8.0/24'] })).expireTime).toBeUndefined()
  })
})

test('an account that rotates its key keeps the new one, and those of accounts of its making', async () => {
  const { id, key, client } = await provisioner()
  const made = await createdAccount(client)
  const ofMade = await createdKey(client, made.id)
  const successor = await createdKey(client, id)
  const { status, body } = await revoke(await clientWith(market.url, successor), id, key.clientId)
  expect([status, body.derivedKeys.map(({ clientId }) => clientId)]).toEqual([
    200,
    [ofMade.clientId, successor.clientId],
  ])
  expect([await obtains(key), await obtains(successor), await obtains(ofMade)]).toEqual([401, 200, 200])
})

test.each(['deactivate', 'anonymise'] as const)(
  '%s of an account ends its keys and those that it led to',
  async (verb) => {
    const { id, key, client } = await provisioner()
    const made = await createdAccount(client)
    const ofMade = await createdKey(client, made.id)
    const own = await createdKey(client, id)
    // The account itself may be the caller: a thief must not keep keys by closing the account.
    expect((await act(client, id, verb)).status).toBe(200)
    expect([await obtains(ofMade), await obtains(own), await obtains(key)]).toEqual([401, 401, 401])
    const [entry] = (await entriesOf(market, org.orgId, `user.${verb}`)).slice(-1)
    expect(entry?.request).toEqual({ id, endedKeyIds: [key.clientId, ofMade.clientId, own.clientId] })
    if (verb === 'anonymise') return
    await act(admin, id, 'activate')
    expect([await obtains(key), await obtains(own)]).toEqual([401, 401])
    expect([...(await keysOf(made.id)), ...(await keysOf(id))].map(({ revokedTime }) => typeof revokedTime)).toEqual([
      'string',
      'string',
      'string',
    ])
    expect(await obtains(await createdKey(admin, id))).toBe(200)
  },
)

test('more than 100 accounts cannot lead to one another', async () => {
  const { id, key, client } = await provisioner()
  const chain = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`user_${n}`, new Date().toISOString()]))
  await market.db.owner`
    update organization.service_account_keys set lineage = ${JSON.stringify(chain)}::text::jsonb where id = ${key.clientId}`
  const account = await client.post<Problem>(ACCOUNTS, { name: 'X' })
  const ofAccount = await client.post<Problem>(`${ACCOUNTS}/${id}/keys`, {})
  expect([account.status, account.body.code, ofAccount.status]).toEqual([409, 'limit_reached', 409])
})

describe('a permission that the creator of a live key lacks', () => {
  const refused = (field: string, clientId: string) => [
    409,
    'conflict',
    [
      {
        field,
        message: `would give part:create to a user who knows the secret of the key ${clientId} but lacks the permission. Revoke the key, then create another.`,
      },
    ],
  ]
  const answerOf = ({ status, body }: { status: number; body: Problem }) => [status, body.code, body.errors]

  test('is not granted to the account until the key is revoked', async () => {
    const { id } = await createdAccount(manager.client)
    const weak = await createdKey(manager.client, id)
    await createdKey(admin, id)
    expect(answerOf(await grant(editing, id))).toEqual(refused('userId', weak.clientId))
    expect((await admin.get<Page<Role>>(`/v1/roles?userId=${id}`)).body.items).toEqual([])
    await revoke(admin, id, weak.clientId)
    expect((await grant(editing, id)).status).toBe(200)
  })

  test('is not added to a role of the account, unless its creator also gains it', async () => {
    const roleId = await newRole([])
    const { id } = await createdAccount(manager.client, { roleIds: [roleId] })
    const weak = await createdKey(manager.client, id)
    const change = () => patch<Problem>(admin, `/flows/v1/roles/${roleId}`, { permissions: ['part:create'] })
    expect(answerOf(await change())).toEqual(refused('permissions', weak.clientId))
    await grant(roleId, manager.userId)
    expect((await change()).status).toBe(200)
    await admin.post(`/flows/v1/roles/${roleId}/withdraw`, { userId: manager.userId })
  })

  test('is not granted where the account created the key with one of that creator', async () => {
    const { id } = await createdAccount(manager.client, { roleIds: [managing] })
    const weak = await createdKey(manager.client, id)
    const rotated = await createdKey(await clientWith(market.url, weak), id)
    await revoke(await clientWith(market.url, rotated), id, weak.clientId)
    expect(answerOf(await grant(editing, id))).toEqual(refused('userId', rotated.clientId))
  })

  test('is not granted to another account whose key the account created with one of that creator', async () => {
    const { id: first } = await createdAccount(manager.client, { roleIds: [managing] })
    const weak = await createdKey(manager.client, first)
    const client = await clientWith(market.url, weak)
    const { id: second } = await createdAccount(client, { roleIds: [managing] })
    const laundered = await createdKey(client, second)
    expect(answerOf(await grant(editing, first))).toEqual(refused('userId', weak.clientId))
    expect((await revoke(client, first, weak.clientId)).status).toBe(200)
    // The creator no longer has a secret of the first account, but has one of the second.
    expect((await grant(editing, first)).status).toBe(200)
    expect(answerOf(await grant(editing, second))).toEqual(refused('userId', laundered.clientId))
  })

  test('is not granted where an account between the creator and the key lacks it', async () => {
    const { client } = await provisioner()
    const { id } = await createdAccount(client)
    const key = await createdKey(client, id)
    expect(answerOf(await grant(editing, id))).toEqual(refused('userId', key.clientId))
  })

  test('is not granted after the creator was deactivated', async () => {
    const leaver = await org.member(['user:manage', 'part:create'])
    const { id } = await createdAccount(leaver.client)
    const key = await createdKey(leaver.client, id)
    await act(admin, leaver.userId, 'deactivate')
    expect(answerOf(await grant(editing, id))).toEqual(refused('userId', key.clientId))
  })
})
