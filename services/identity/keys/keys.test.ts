import { describe, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { reencryptSecrets, rotateSigningKey } from './commands.ts'

const market = await marketplaceOf(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const sql = connect(market.db.urlOf('identity'), { max: 2, applicationName: 'test' })
const box = await createSecretBox(market.config.ENCRYPTION_KEYS)

interface Jwks {
  keys: { kid: string; d?: string }[]
}

const published = async () => (await market.anonymous.get<Jwks>('/.well-known/jwks.json')).body.keys
const kidOf = (token: string | undefined) =>
  JSON.parse(Buffer.from((token ?? '').split('.')[0] as string, 'base64url').toString()).kid as string

describe('rotation of the signing key', () => {
  test('a new key is published ten minutes before it signs; tokens of the old key stay valid', async () => {
    const before = kidOf(org.administrator.client.accessToken)
    const now = new Date().toISOString()
    const { kid, signsFrom } = await rotateSigningKey(sql, box, now)
    expect(Date.parse(signsFrom) - Date.parse(now)).toBe(10 * 60 * 1000)
    expect((await published()).map((key) => key.kid).sort()).toEqual([before, kid].sort())
    const client = new ApiClient(market.url)
    await client.signIn(org.administrator.email, TEST_PASSWORD)
    expect(kidOf(client.accessToken)).toBe(before)
    expect((await org.administrator.client.get('/v1/parts')).status).toBe(200)
  })

  test('an old key is published until a token of the longest lifetime has expired, which a lower setting does not change', async () => {
    const signing = kidOf(org.administrator.client.accessToken)
    const [row] = await market.db.owner<{ minutes: number }[]>`
      select extract(epoch from old.retires_at - new.signs_from)::float8 / 60 as minutes
      from identity.signing_keys old, identity.signing_keys new
      where old.kid = ${signing} and new.retires_at is null`
    expect(row?.minutes).toBe(61)
  })

  test('private keys are not published', async () => {
    for (const key of await published()) expect(key).not.toHaveProperty('d')
  })

  test('a key is removed after its last token has expired', async () => {
    const [{ kid }] = await market.db.owner<[{ kid: string }]>`
      select kid from identity.signing_keys where retires_at is not null`
    await market.db.owner`update identity.signing_keys set retires_at = now() - interval '1 second' where kid = ${kid}`
    expect((await published()).map((key) => key.kid)).not.toContain(kid)
  })
})

test('reencryptSecrets re-encrypts every stored secret with the first key', async () => {
  const next = `next:${Buffer.alloc(32, 9).toString('base64')}`
  const both = await createSecretBox(`${next},${market.config.ENCRYPTION_KEYS}`)
  const { reencrypted } = await reencryptSecrets(sql, both)
  expect(reencrypted).toBeGreaterThanOrEqual(3)
  expect((await reencryptSecrets(sql, both)).reencrypted).toBe(0)
  const onlyNext = await createSecretBox(next)
  const rows = await market.db.owner<{ private_key: string }[]>`select private_key from identity.signing_keys`
  for (const { private_key } of rows) expect(await onlyNext.decrypt(private_key)).toContain('PRIVATE KEY')
  await sql.end({ timeout: 1 })
})
