import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Upload } from '../../../proto/http/sourcing/uploads.ts'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { withPasswordFile } from '../../../services/kit/db/password-file.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { Deployment } from '../../../services/testing/deployment.ts'
import { expecting, MarketLoad } from '../../../services/testing/market-load.ts'
import { createFixtures } from '../../../services/testing/marketplace.ts'
import { WebhookReceiver } from '../../../services/testing/receiver.ts'
import { signInOverHttp, TEST_PASSWORD } from '../../../services/testing/sign-in.ts'
import { until } from '../../../services/testing/until.ts'
import {
  migrateAsOwner,
  type Passwords,
  passwordsOf,
  rehearsalFolder,
  startServer,
  urlsOf,
} from '../../lab/rehearse/server.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'

setDefaultTimeout(400_000)
const folder = await rehearsalFolder('rotation')
afterAll(() => rm(folder, { recursive: true, force: true }))
// A server of its own, because the passwords of roles belong to the whole server.
const server = await startServer(folder, 'data', { fsync: 'off' })
afterAll(() => server.stop())
const { db } = server
await migrateAsOwner(db, passwordsOf(''))

const fileOf = (service: ServiceName) => join(folder, `password-${service}`)
const noPasswords = Object.fromEntries(SERVICES.map((service) => [service, ''])) as Passwords
const key = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`
const [FIRST, SECOND] = [key('first', 1), key('second', 2)]
const env = {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '100000',
  UPLOADS_OPEN_MAX: '100000',
}
const deployment = await Deployment.start({ db, natsUrl: undefined, env: { ...env, ENCRYPTION_KEYS: FIRST } })
const fixtures = await createFixtures(db, signInOverHttp(deployment.url))
const org = await fixtures.organization(['IP_OWNER', 'CONSUMER'])
const receiver = new WebhookReceiver()
await receiver.subscribe(org.administrator.client, ['cases.created'])
const rotated = await receiver.subscribe(org.administrator.client, ['assignments.created'])

/** Requests whose effect depends on a secret that another replica encrypted or signed with. */
const secrets = (client: ApiClient) => ({
  'upload a file': expecting(200, async () => {
    const created = await client.post<Upload>('/v1/uploads', { name: 'flange.stl' })
    if (created.status !== 200) return created
    const { pathname, search } = new URL(created.body.uploadUrl)
    const response = await fetch(`${deployment.url}${pathname}${search}`, { method: 'PUT', body: 'solid' })
    return { status: response.ok ? 200 : response.status, text: await response.text() }
  }),
  'rotate the secret of a webhook': expecting(200, async () => {
    const path = `/flows/v1/webhooks/endpoints/${rotated.id}`
    const answer = await client.post(`${path}/rotate-secret`)
    return answer.status === 200 ? client.post(`${path}/test`, { type: 'assignments.created' }) : answer
  }),
})
async function load(): Promise<MarketLoad> {
  await org.administrator.client.signIn(org.administrator.email, TEST_PASSWORD)
  return new MarketLoad(org, deployment.url, secrets)
}

const operator = async (keys: string, ...words: string[]) => {
  const { code, output } = await run([BUN, commandFile('operator'), ...words], {
    env: { ...process.env, DATABASE_URL: db.ownerUrl, ENCRYPTION_KEYS: keys },
  })
  expect([code, output]).toEqual([0, expect.any(String)])
  return output
}
const kidOf = (token: string | undefined) =>
  JSON.parse(Buffer.from(token?.split('.')[0] ?? '', 'base64url').toString()).kid as string
const secretsWith = async (name: string) => {
  const [row] = await db.owner<{ count: number }[]>`
    select (
      (select count(*) from identity.signing_keys where private_key like ${`${name}.%`})
      + (select count(*) from identity.server_secrets where value like ${`${name}.%`})
      + (select count(*) from webhooks.endpoints where secret like ${`${name}.%`})
    )::int as count`
  return row?.count
}
/** Deliveries that are not finished, or took more than one attempt. */
const repeated = async () =>
  (
    await db.owner`
      select from webhooks.deliveries d
      where state <> 'DELIVERED'
        or exists (select from webhooks.attempts a where a.delivery_id = d.id and a.number > 1)`
  ).length

test('a rotated signing key signs without a refused request; a revoked one is 401 until clients refresh', async () => {
  const running = await load()
  await running.more(3)
  const { client } = org.administrator
  const before = kidOf(running.client.accessToken)
  await operator(FIRST, 'keys', 'rotate')
  // Instead of ten minutes.
  await db.owner`update identity.signing_keys set signs_from = now() where signs_from > now()`
  await until(() => kidOf(running.client.accessToken) !== before, { withinMs: 40_000, what: 'a token of the new key' })
  await running.more(3)
  expect(running.failures).toEqual([])
  expect((await client.get(`/v1/orgs/${org.orgId}`)).status).toBe(200)

  const stolen = kidOf(running.client.accessToken)
  await operator(FIRST, 'keys', 'revoke', stolen)
  await until(() => kidOf(running.client.accessToken) !== stolen, { what: 'a token of the next key' })
  const refused = running.failures.length
  await running.more(3)
  await running.stop()
  for (const failure of running.failures) expect(failure).toMatch(/: 401 /)
  // A request that was sent with the void token can be answered after the refresh.
  expect(running.failures.length - refused).toBeLessThan(Object.keys(running.answers).length)
  await running.delivered(receiver)
})

test('an encryption key that every replica knows before the first one uses it: no request fails, no delivery is repeated', async () => {
  const running = await load()
  await running.more(3)
  const readers = ['identity', 'sourcing', 'webhooks'] as const
  await deployment.roll(readers, { env: { ...env, ENCRYPTION_KEYS: `${FIRST},${SECOND}` } })
  await deployment.roll(readers, { env: { ...env, ENCRYPTION_KEYS: `${SECOND},${FIRST}` } })
  await operator(`${SECOND},${FIRST}`, 'keys', 'reencrypt')
  expect(await secretsWith('first')).toBe(0)
  await running.more(3)
  await deployment.roll(readers, { env: { ...env, ENCRYPTION_KEYS: SECOND } })
  await running.more(3)
  await running.stop()
  // The last step came early: URLs that the first key signed are not in use here.
  expect(running.failures).toEqual([])
  await running.delivered(receiver)
  await until(async () => (await repeated()) === 0, { what: 'one attempt for each delivery' })
})

test('passwords of the database: while a file has both, no request fails, and every new replica and connection is accepted', async () => {
  const running = await load()
  await running.more(3)
  const withFile = (service: ServiceName) =>
    withPasswordFile(urlsOf(db.ownerUrl, noPasswords)(service), fileOf(service))
  const passwords = { first: passwordsOf(''), second: passwordsOf('-2') }
  const write = (...lines: (typeof passwords.first)[]) =>
    Promise.all(SERVICES.map((name) => Bun.write(fileOf(name), lines.map((line) => line[name]).join('\n'))))
  const replace = (services: readonly ServiceName[]) =>
    deployment.roll(services, { db: { name: db.name, urlOf: withFile } })

  await write(passwords.first)
  await replace(SERVICES)
  await write(passwords.second, passwords.first)
  await replace(['catalog', 'sourcing'])
  await migrateAsOwner(db, passwords.second)
  await replace(['catalog', 'organization'])
  await write(passwords.second)
  await replace(['catalog', 'webhooks'])
  await running.more(3)
  await running.stop()
  expect(running.failures).toEqual([])
  await running.delivered(receiver)
  for (const end of await deployment.stop()) expect(end).toMatchObject({ exitCode: 0 })
})
