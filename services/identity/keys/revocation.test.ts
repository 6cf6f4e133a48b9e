import { afterAll, describe, expect, test } from 'bun:test'
import { decodeProtectedHeader } from 'jose'
import { connect } from '../../kit/db/client.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'
import { revokeSigningKey, rotateSigningKey } from './commands.ts'
import { PublishedKeys } from './published.ts'
import { createSigner } from './signer.ts'

let aheadMs = 0
const market = await marketplaceWithWorkers(['sourcing', 'catalog'], {}, undefined, {
  clock: () => Date.now() + aheadMs,
})
const org = await market.organization(['IP_OWNER'])
const sql = connect(market.db.urlOf('identity'), { max: 1, applicationName: 'test' })
afterAll(() => sql.end({ timeout: 1 }))
const box = await createSecretBox(market.config.ENCRYPTION_KEYS)

const published = async () =>
  (await market.anonymous.get<{ keys: { kid: string }[] }>('/.well-known/jwks.json')).body.keys.map(({ kid }) => kid)
const kidOf = ({ accessToken = '' }: ApiClient) => decodeProtectedHeader(accessToken).kid as string

/** The status of a request to each service, with a token that the service has cached. */
const statusesOf = async (client: ApiClient) =>
  Promise.all(
    ['/v1/parts', '/v1/users', '/flows/v1/sessions', '/v1/materials'].map(
      async (path) => (await client.get(path)).status,
    ),
  )
const signedIn = async () => {
  const client = new ApiClient(market.url)
  await client.signIn(org.administrator.email, TEST_PASSWORD)
  expect(await statusesOf(client)).toEqual([200, 200, 200, 200])
  return client
}

describe('the end of a signing key', () => {
  test('a token of a retired key is 401 in every service within a minute', async () => {
    const client = await signedIn()
    await market.db.owner`
      update identity.signing_keys set retires_at = now() - interval '1 second' where kid = ${kidOf(client)}`
    aheadMs += 60_000
    expect(await statusesOf(client)).toEqual([401, 401, 401, 401])
    await market.db.owner`update identity.signing_keys set retires_at = null`
  })

  test('a token of a revoked key is 401 in every service within a second, and a new key signs at once', async () => {
    aheadMs += 60_000
    const client = await signedIn()
    const kid = kidOf(client)
    const now = new Date(Date.now() + aheadMs).toISOString()
    const { successor } = await revokeSigningKey(sql, box, { kid, now })
    await until(async () => (await statusesOf(client)).every((status) => status === 401), { withinMs: 3000 })
    expect(await published()).not.toContain(kid)
    expect(kidOf(await signedIn())).toBe(successor?.kid as string)
  })

  test('when the signing key is revoked, the key that is published already signs at once', async () => {
    const options = { now: new Date(Date.now() + aheadMs).toISOString() }
    const { kid: announced } = await rotateSigningKey(sql, box, options.now)
    const { successor } = await revokeSigningKey(sql, box, { ...options, kid: kidOf(await signedIn()) })
    expect(successor?.kid).toBe(announced)
    await until(async () => kidOf(await signedIn()) === announced)
  })

  test('of two keys that are published already, one signs at once, and the other from its time on without an end', async () => {
    const nowMs = Date.now() + aheadMs
    const timeIn = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
    const stolen = kidOf(await signedIn())
    const { kid: next } = await rotateSigningKey(sql, box, timeIn(0))
    const { kid: last } = await rotateSigningKey(sql, box, timeIn(5))
    const options = { kid: stolen, now: timeIn(9) }
    expect((await revokeSigningKey(sql, box, options)).successor?.kid).toBe(next)
    const rows = await market.db.owner<{ kid: string; signs_from: string; retires_at: string | null }[]>`
      select kid, signs_from, retires_at from identity.signing_keys where kid in (${next}, ${last}) order by signs_from`
    expect([...rows]).toEqual([
      { kid: next, signs_from: timeIn(9), retires_at: timeIn(76) },
      { kid: last, signs_from: timeIn(15), retires_at: null },
    ])
    aheadMs += 15 * 60_000
    expect(kidOf(await signedIn())).toBe(last)
  })

  test('a revoked key that does not sign yet is replaced by another published one; an unknown key is not found', async () => {
    const options = { now: new Date(Date.now() + aheadMs).toISOString() }
    const signing = kidOf(await signedIn())
    const { kid, signsFrom } = await rotateSigningKey(sql, box, options.now)
    const { successor } = await revokeSigningKey(sql, box, { ...options, kid })
    expect(successor?.signsFrom).toBe(signsFrom)
    expect(await published()).toContain(successor?.kid as string)
    expect(kidOf(await signedIn())).toBe(signing)
    await expect(revokeSigningKey(sql, box, { ...options, kid })).rejects.toThrow('not_found')
  })

  test('a key that signs longer, because its successor was revoked, is published until its last token has expired', async () => {
    const nowMs = Date.now() + aheadMs
    const timeIn = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
    const signing = kidOf(await signedIn())
    const { kid } = await rotateSigningKey(sql, box, timeIn(0))
    await revokeSigningKey(sql, box, { kid, now: timeIn(9) })
    // It signs until minute 19, and its last token expires an hour later at the latest.
    const [row] = await market.db.owner<{ retires_at: string }[]>`
      select retires_at from identity.signing_keys where kid = ${signing}`
    expect(row?.retires_at).toBe(timeIn(80))
  })

  test('a key that was forgotten while it was read signs no second time', async () => {
    const clock = () => Date.now() + aheadMs
    const names = { issuer: 'https://example.com', audience: 'test', accessTokenSeconds: 60 }
    const sign = createSigner({ sql, box, clock, ...names })
    const subject = { userId: 'user_1', orgId: 'org_1', sessionId: 'session_1', sessionVersion: 1 }
    let signed: Promise<string> | undefined
    await market.db.owner.begin(async (tx) => {
      await tx`lock table identity.signing_keys in access exclusive mode`
      signed = sign(subject)
      await until(async () => {
        const waiting = await tx`
          select from pg_locks
          where not granted and database = (select oid from pg_database where datname = current_database())`
        return waiting.length > 0
      })
      sign.forgetKey()
    })
    const { kid } = decodeProtectedHeader((await signed) as string)
    const options = { now: new Date(clock()).toISOString() }
    await revokeSigningKey(sql, box, { kid: kid as string, ...options })
    expect(decodeProtectedHeader(await sign(subject)).kid).not.toBe(kid)
  })

  test('published keys that were forgotten while they were read are not repeated during an outage', async () => {
    const keys = new PublishedKeys()
    const { promise, resolve } = Promise.withResolvers<[]>()
    const read = keys.read(() => promise)
    keys.forget()
    resolve([])
    expect(await read).toEqual({ keys: [] })
    const outage = Object.assign(new Error('down'), { code: 'ECONNREFUSED' })
    await expect(keys.read(() => Promise.reject(outage))).rejects.toThrow('down')
  })

  test('so is one that does not sign yet, when the key after it was revoked', async () => {
    const nowMs = Date.now() + aheadMs
    const timeIn = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
    const { kid: second } = await rotateSigningKey(sql, box, timeIn(0))
    const { kid: third } = await rotateSigningKey(sql, box, timeIn(5))
    await revokeSigningKey(sql, box, { kid: third, now: timeIn(9) })
    const [row] = await market.db.owner<{ retires_at: string }[]>`
      select retires_at from identity.signing_keys where kid = ${second}`
    expect(row?.retires_at).toBe(timeIn(80))
  })
})
