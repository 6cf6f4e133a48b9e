import { afterAll, describe, expect, test } from 'bun:test'
import type { Role } from '../../proto/http/organization/roles.ts'
import type { CreatedUser } from '../../proto/http/organization/users.ts'
import { revokeSigningKey } from '../identity/keys/commands.ts'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { connect } from '../kit/db/client.ts'
import { createSecretBox } from '../kit/secrets/box.ts'
import { ApiClient } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { createFixtures, TEST_PASSWORD } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { startService, stopService } from '../testing/processes.ts'
import { signInOverHttp } from '../testing/sign-in.ts'
import { until } from '../testing/until.ts'

const server = await natsServer()
await server.start()
await ensureStreams({ url: server.url })
afterAll(() => server.close())

const ROUNDS = 3
/** Less than the five seconds after which services fall back to Postgres because the bus is silent. */
const BY_BUS = { withinMs: 3000 }

/** A command in one process takes effect in the others, on either bus. */
describe.each([
  ['postgres', undefined],
  ['nats', server.url],
] as const)('on the %s bus', async (_, natsUrl) => {
  const db = await testDatabase()
  const identity = await startService('identity', db, natsUrl)
  const organization = await startService('organization', db, natsUrl)
  let sourcing = await startService('sourcing', db, natsUrl)
  const { administrator } = await (await createFixtures(db, signInOverHttp(identity.client.url))).organization([
    'IP_OWNER',
  ])
  const admin = new ApiClient(organization.client.url, administrator.client.accessToken)

  async function createSignedInUser(): Promise<{ id: string; client: ApiClient }> {
    const email = `${crypto.randomUUID()}@example.com`
    const body = { email, givenName: 'New', familyName: 'Comer' }
    const { id, activationUrl } = (await admin.post<CreatedUser>('/flows/v1/users', body)).body
    const client = new ApiClient(identity.client.url)
    await client.activate(activationUrl?.split('#')[1] as string, TEST_PASSWORD)
    await client.signIn(email, TEST_PASSWORD)
    return { id, client }
  }
  const at = (service: { client: ApiClient }, { accessToken }: ApiClient) =>
    new ApiClient(service.client.url, accessToken)
  const partBy = async (client: ApiClient) => (await at(sourcing, client).post('/v1/parts', {})).status

  /** Milliseconds from the response of a command to its effect in another process. */
  async function measureDelay(
    command: () => Promise<{ status: number; text: string }>,
    isEffective: () => Promise<boolean>,
  ) {
    const { status, text } = await command()
    expect([status < 300, text]).toEqual([true, text])
    const startedMs = performance.now()
    await until(isEffective, BY_BUS)
    return performance.now() - startedMs
  }

  const expectMedianBelowASecond = (times: number[]) =>
    expect([...times].sort((a, b) => a - b)[times.length >> 1]).toBeLessThan(1000)

  test('a granted, changed and withdrawn role takes effect in another process within a second', async () => {
    const { id, client } = await createSignedInUser()
    const role = { name: 'Part creators', permissions: ['part:create'] }
    const path = `/flows/v1/roles/${(await admin.post<Role>('/flows/v1/roles', role)).body.id}`
    const change = (permissions: string[]) => () => admin.send('PATCH', path, { body: { permissions } })
    expect(await partBy(client)).toBe(403)
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const steps = [
        [() => admin.post(`${path}/grant`, { userId: id }), 200],
        [change([]), 403],
        [change(['part:create']), 200],
        [() => admin.post(`${path}/withdraw`, { userId: id }), 403],
      ] as const
      for (const [command, status] of steps) {
        times.push(await measureDelay(command, async () => (await partBy(client)) === status))
      }
    }
    expectMedianBelowASecond(times)
  })

  test('a revoked signing key voids its tokens in every process within a second', async () => {
    const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
    const box = await createSecretBox(`test:${Buffer.alloc(32, 7).toString('base64')}`)
    const { email } = administrator
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await administrator.client.signIn(email, TEST_PASSWORD)
      const statuses = async () => [
        (await at(sourcing, administrator.client).get('/v1/parts')).status,
        (await at(organization, administrator.client).get('/v1/users')).status,
        (await at(identity, administrator.client).get('/flows/v1/sessions')).status,
      ]
      expect(await statuses()).toEqual([200, 200, 200])
      const [header = ''] = (administrator.client.accessToken ?? '').split('.')
      const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
      await revokeSigningKey(sql, box, { kid, now: new Date().toISOString() })
      const startedMs = performance.now()
      await until(async () => (await statuses()).every((status) => status === 401), BY_BUS)
      times.push(performance.now() - startedMs)
    }
    await sql.end({ timeout: 1 })
    await administrator.client.signIn(email, TEST_PASSWORD)
    admin.accessToken = administrator.client.accessToken
    expectMedianBelowASecond(times)
  })

  test.each(['deactivate', 'reset-password', 'anonymise'])(
    '%s ends the sessions in every process within a second',
    async (verb) => {
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const { id, client } = await createSignedInUser()
        const answers = async () => [
          (await at(sourcing, client).get('/v1/parts')).status,
          (await at(organization, client).get('/v1/users')).status,
          (await at(identity, client).get('/flows/v1/sessions')).status,
        ]
        expect(await answers()).toEqual([200, 200, 200])
        const isSignedOut = async () => (await answers()).every((status) => status === 401)
        times.push(await measureDelay(() => admin.post(`/flows/v1/users/${id}/${verb}`), isSignedOut))
        const refresh = { grant_type: 'refresh_token', refresh_token: client.refreshToken }
        expect((await identity.client.post('/v2.3/oauth/token', refresh)).status).toBe(401)
      }
      expectMedianBelowASecond(times)
    },
  )

  const session = async () => {
    const client = new ApiClient(identity.client.url)
    await client.signIn(administrator.email, TEST_PASSWORD)
    return client
  }
  const statusOf = async (client: ApiClient) => (await at(sourcing, client).get('/v1/parts')).status

  test('a session revoked in one process is refused in another', async () => {
    const client = await session()
    expect(await statusOf(client)).toBe(200)
    await client.post('/v2.3/oauth/revoke')
    await until(async () => (await statusOf(client)) === 401, BY_BUS)
  })

  test('a service that was down during a revocation refuses the token', async () => {
    const client = await session()
    expect(await statusOf(client)).toBe(200)
    await stopService(sourcing, 'SIGKILL')
    await client.post('/v2.3/oauth/revoke')
    sourcing = await startService('sourcing', db, natsUrl)
    expect(await statusOf(client)).toBe(401)
  })

  // The tests below end the processes.
  test('five seconds without identity, sessions are checked in Postgres', async () => {
    const client = await session()
    expect(await statusOf(client)).toBe(200)
    await stopService(identity, 'SIGKILL')
    // This change emits no event.
    await db.owner`update identity.sessions set ended_at = now() where user_id = ${administrator.userId}`
    await until(async () => (await statusOf(client)) === 401, { withinMs: 9000 })
  })

  test('SIGTERM stops a process with exit code 0', async () => {
    expect(await stopService(sourcing, 'SIGTERM')).toBe(0)
    expect(await stopService(organization, 'SIGTERM')).toBe(0)
  })
})
