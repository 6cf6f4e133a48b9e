import { describe, expect, test } from 'bun:test'
import type {
  CreatedServiceAccountKey,
  ServiceAccountKey,
  ServiceAccountKeyInput,
} from '../../../proto/http/organization/service-accounts.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { BY_BUS, entriesOf, eventsOf, type Page, type Problem } from '../../testing/people.ts'
import { ACCOUNTS, clientWith, createdAccount, createdKey, requestToken } from '../../testing/service-accounts.ts'
import { openSession } from '../../testing/sessions.ts'
import { until } from '../../testing/until.ts'
import { cleanUpOrganization } from '../cleanup/queries.ts'

let aheadMs = 0
const clock = () => Date.now() + aheadMs
const market = await marketplaceWithWorkers(['sourcing'], { ...RACING, TRUSTED_PROXIES: '1' }, undefined, { clock })
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const from = (address: string) => ({ 'x-forwarded-for': address })

const keysOf = async (accountId: string) =>
  (await admin.get<Page<ServiceAccountKey>>(`${ACCOUNTS}/${accountId}/keys`)).body.items
const create = (accountId: string, body: ServiceAccountKeyInput | object, headers = {}) =>
  admin.post<CreatedServiceAccountKey & Problem>(`${ACCOUNTS}/${accountId}/keys`, body, headers)
const revoke = (accountId: string, clientId: string) =>
  admin.post<ServiceAccountKey & Problem>(`${ACCOUNTS}/${accountId}/keys/${clientId}/revoke`)
const inMs = (ms: number) => new Date(clock() + ms).toISOString()

describe('a key', () => {
  test('is returned once with its secret, and listed without it', async () => {
    const { id } = await createdAccount(admin)
    const expireTime = inMs(60 * 60 * 1000)
    const body = {
      description: 'Production',
      expireTime,
      networks: ['203.0.113.0/24', '203.0.113.0/24', '2001:DB8::1'],
    }
    const { status, body: created, headers } = await create(id, body)
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    const { clientSecret, ...key } = created
    expect(clientSecret).toMatch(/^mkt_[0-9A-Za-z]{49}$/)
    expect<object>(key).toEqual({
      clientId: expect.stringMatching(/^sak_[0-9A-HJKMNP-TV-Z]{26}$/),
      secretPrefix: clientSecret.slice(0, 8),
      description: 'Production',
      networks: ['203.0.113.0/24', '2001:db8::1/128'],
      createdBy: org.administrator.userId,
      createdTime: key.createdTime,
      expireTime,
    })
    expect(await keysOf(id)).toEqual([key])
  })

  test('is stored as a hash; the secret is in no table, no log of requests and no event', async () => {
    const { id } = await createdAccount(admin)
    const idempotencyKey = crypto.randomUUID()
    const { body: first, text } = await create(id, {}, { 'idempotency-key': idempotencyKey })
    const again = await create(id, {}, { 'idempotency-key': idempotencyKey })
    expect([again.status, again.text]).toEqual([201, text])
    await requestToken(market.url, first)
    const { owner } = market.db
    const tables = await owner<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('organization', 'identity')`
    for (const { name } of tables) {
      const rows = await owner.unsafe(`select t::text as line from ${name} t`)
      const found = rows.filter(({ line }) => line.includes(first.clientSecret.slice(8)))
      expect([name, found]).toEqual([name, []])
    }
    const [stored] = await owner`select secret_hash from organization.service_account_keys where id = ${first.clientId}`
    expect(stored?.secret_hash.toString('hex')).toBe(
      new Bun.CryptoHasher('sha256').update(first.clientSecret).digest('hex'),
    )
  })

  test('is one of two live ones; an ended one makes room', async () => {
    const { id } = await createdAccount(admin)
    const [first] = [await createdKey(admin, id), await createdKey(admin, id, { expireTime: inMs(60_000) })]
    const third = await create(id, {})
    expect([third.status, third.body.code]).toEqual([409, 'limit_reached'])
    await revoke(id, first.clientId)
    await createdKey(admin, id)
    expect((await create(id, {})).status).toBe(409)
    aheadMs += 61_000
    await createdKey(admin, id)
    expect((await keysOf(id)).length).toBe(4)
  })

  test('two at the same time do not exceed the limit', async () => {
    const { id } = await createdAccount(admin)
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(id, {})))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409, 409, 409])
  })

  test('during an impersonation is 403, and so is its revocation', async () => {
    const { id } = await createdAccount(admin)
    const { clientId } = await createdKey(admin, id)
    const { accessToken } = await openSession(market, org.administrator, {
      actingEmail: 'support@example.com',
      grantId: 'grant_of_keys',
    })
    const acting = new ApiClient(market.url, accessToken)
    for (const path of [ACCOUNTS, `${ACCOUNTS}/${id}/keys`, `${ACCOUNTS}/${id}/keys/${clientId}/revoke`]) {
      const { status, body } = await acting.post<Problem>(path, path === ACCOUNTS ? { name: 'X' } : {})
      expect([path, status, body.detail]).toEqual([path, 403, 'Not available during impersonation.'])
    }
  })

  test.each([
    [{ networks: ['203.0.113.7/24'] }, 'networks.0'],
    [{ networks: ['10.0.0.0/8', '::ffff:10.0.0.0/104'] }, 'networks.1'],
    [{ networks: ['example.com'] }, 'networks.0'],
    [{ networks: Array(21).fill('10.0.0.0/8') }, 'networks'],
    [{ expireTime: '2020-01-01T00:00:00Z' }, 'expireTime'],
    [{ expireTime: '2026-02-30T00:00:00Z' }, 'expireTime'],
    [{ clientSecret: 'mine' }, 'clientSecret'],
  ])('%j is 400', async (body, field) => {
    const { id } = await createdAccount(admin)
    const answer = await create(id, body)
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field])
  })

  test('shows its last use, which is written once a minute', async () => {
    const { id } = await createdAccount(admin)
    const key = await createdKey(admin, id)
    expect((await keysOf(id))[0]?.lastUsedTime).toBeUndefined()
    const before = inMs(0)
    await requestToken(market.url, key, from('198.51.100.1'))
    const [used] = await keysOf(id)
    expect(used?.lastUsedAddress).toBe('198.51.100.1')
    expect((used?.lastUsedTime ?? '') >= before).toBe(true)
    await requestToken(market.url, key, from('198.51.100.2'))
    expect(await keysOf(id)).toEqual([used as ServiceAccountKey])
    aheadMs += 60_000
    await requestToken(market.url, key, from('198.51.100.2'))
    expect((await keysOf(id))[0]?.lastUsedAddress).toBe('198.51.100.2')
  })

  test('is deleted 90 days after its end', async () => {
    const { id } = await createdAccount(admin)
    const revoked = await createdKey(admin, id)
    await revoke(id, revoked.clientId)
    const expired = await createdKey(admin, id, { expireTime: inMs(1000) })
    const live = await createdKey(admin, id)
    const day = 24 * 60 * 60 * 1000
    const after = (days: number) => cleanUpOrganization(market.db.owner, inMs(days * day), AbortSignal.timeout(5000))
    await after(89)
    expect((await keysOf(id)).map(({ clientId }) => clientId)).toEqual(
      [live, expired, revoked].map(({ clientId }) => clientId),
    )
    await after(91)
    expect((await keysOf(id)).map(({ clientId }) => clientId)).toEqual([live.clientId])
  })
})

describe('the revocation of a key', () => {
  test('voids its tokens in every service, and leaves the other key alone', async () => {
    const { id } = await createdAccount(admin, { name: 'Rotated' })
    const [old, fresh] = [await createdKey(admin, id), await createdKey(admin, id)]
    const [before, after] = [await clientWith(market.url, old), await clientWith(market.url, fresh)]
    const statuses = async (client: ApiClient) =>
      [await client.get('/v1/parts'), await client.get('/v1/users'), await client.get('/flows/v1/sessions')].map(
        ({ status }) => status,
      )
    expect(await statuses(before)).toEqual([200, 200, 200])
    const { status, body } = await revoke(id, old.clientId)
    expect([status, body.revokedTime !== undefined]).toEqual([200, true])
    await until(async () => (await statuses(before)).every((each) => each === 401), BY_BUS)
    expect(await statuses(after)).toEqual([200, 200, 200])
    const again = await revoke(id, old.clientId)
    expect([again.status, again.body.code]).toEqual([409, 'illegal_transition'])
    expect(await eventsOf(market, old.clientId)).toEqual(['organization.serviceAccountKey.revoked'])
  })

  test('ends what a stolen key made: invitations, and impersonations that began and that did not', async () => {
    const roleId = (await admin.get<Page<{ id: string }>>('/v1/roles?q=Administrator')).body.items[0]?.id as string
    const { id } = await createdAccount(admin, { roleIds: [roleId] })
    const key = await createdKey(admin, id)
    const thief = await clientWith(market.url, key)
    const grants = '/flows/v1/impersonation-grants'
    const granted = async () => {
      const request = { userId: id, actingEmail: 'mallory@example.com', reason: 'None' }
      const { body } = await thief.post<{ url: string }>(grants, request)
      return { token: new URL(body.url).hash.slice(1) }
    }
    const [begun, later] = [await granted(), await granted()]
    const session = await market.anonymous.post<{ access_token: string }>(`${grants}/redeem`, begun)
    const acting = new ApiClient(market.url, session.body.access_token)
    expect((await acting.get('/flows/v1/me')).status).toBe(200)
    const person = { email: `${crypto.randomUUID()}@example.com`, givenName: 'Mallory', familyName: 'M' }
    const invited = await thief.post<{ activationUrl: string }>('/flows/v1/users', { ...person, roleIds: [roleId] })
    expect(invited.status).toBe(201)
    expect((await revoke(id, key.clientId)).status).toBe(200)
    const activation = { token: new URL(invited.body.activationUrl).hash.slice(1), password: 'correct horse battery' }
    expect((await market.anonymous.post('/flows/v1/activations', activation)).status).toBe(404)
    expect((await market.anonymous.post(`${grants}/redeem`, later)).status).toBe(404)
    await until(async () => (await acting.get('/flows/v1/me')).status === 401, BY_BUS)
  })

  test('of a key of another account, and of an unknown one, is 404', async () => {
    const [one, two] = [await createdAccount(admin), await createdAccount(admin)]
    const { clientId } = await createdKey(admin, two.id)
    for (const id of [clientId, 'sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', 'x y']) {
      expect((await revoke(one.id, id)).status).toBe(404)
    }
    expect((await keysOf(two.id))[0]?.revokedTime).toBeUndefined()
  })

  test('and its creation are in the audit log, without the secret', async () => {
    const { id } = await createdAccount(admin)
    const { clientId } = await createdKey(admin, id, { networks: ['10.0.0.0/8'] })
    await revoke(id, clientId)
    const [created] = (await entriesOf(market, org.orgId, 'serviceAccount.key.create')).slice(-1)
    expect(created).toMatchObject({ success: true, request: { id, keyId: clientId, networks: ['10.0.0.0/8'] } })
    const [revoked] = (await entriesOf(market, org.orgId, 'serviceAccount.key.revoke')).slice(-1)
    expect(revoked).toMatchObject({ success: true, error: null, request: { id, keyId: clientId } })
  })
})
