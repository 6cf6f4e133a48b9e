import { expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { testDatabase } from '../../testing/database.ts'
import { rotateSecret } from './queries.ts'
import { reencryptEndpoints } from './re-encrypt.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('webhooks'), { max: 1, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const NOW = '2026-04-26T09:10:00.000Z'
const pair = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`

test('the secrets of all endpoints are re-encrypted with the first key, and stay the same', async () => {
  const before = await createSecretBox(pair('old', 1))
  const both = await createSecretBox(`${pair('new', 2)},${pair('old', 1)}`)
  const ENDPOINTS = 501
  for (let index = 0; index < ENDPOINTS; index++) {
    const [secret, previous] = [await before.encrypt(`secret ${index}`), index % 2 ? [] : [await before.encrypt('old')]]
    await sql`
      insert into webhooks.endpoints (id, org_id, url, events, status, secret, previous_secrets, created_at, updated_at)
      values (${newId('wh')}, 'org_1', 'https://a.example', '{cases.*}', 'active', ${secret}, ${previous}, now(), now())`
  }
  expect(await reencryptEndpoints(sql, both, NOW)).toEqual({ reencrypted: ENDPOINTS, failed: [] })
  expect(await reencryptEndpoints(sql, both, NOW)).toEqual({ reencrypted: 0, failed: [] })
  const after = await createSecretBox(pair('new', 2))
  const rows = await sql<{ secret: string; previous_secrets: string[] }[]>`
    select secret, previous_secrets from webhooks.endpoints order by id`
  expect(await Promise.all(rows.map(({ secret }) => after.decrypt(secret)))).toEqual(
    rows.map((_, index) => `secret ${index}`),
  )
  expect(await after.decrypt(rows[0]?.previous_secrets[0] ?? '')).toBe('old')
})

/** An endpoint whose previous secrets sign until a time. */
async function endpointWith(secret: string, previous: string[], previousUntil: string): Promise<string> {
  const id = newId('wh')
  await sql`
    insert into webhooks.endpoints (
      id, org_id, url, events, status, secret, previous_secrets, previous_secrets_until, created_at, updated_at)
    values (${id}, 'org_1', 'https://a.example', '{cases.*}', 'active', ${secret}, ${previous}, ${previousUntil},
      now(), now())`
  return id
}
const secretsOf = async (id: string) => {
  const [row] = await sql<[{ secret: string; previous_secrets: string[] }]>`
    select secret, previous_secrets from webhooks.endpoints where id = ${id}`
  return [row.secret, ...row.previous_secrets]
}
const LATER = '2026-04-26T09:10:00.001Z'

test('a secret that is rotated meanwhile is re-encrypted as a previous one', async () => {
  await sql`delete from webhooks.endpoints`
  const before = await createSecretBox(pair('old', 1))
  const both = await createSecretBox(`${pair('new', 2)},${pair('old', 1)}`)
  const id = await endpointWith(await before.encrypt('first'), [], LATER)
  let rotations = 0
  /** Rotates the secret once, after the row was read. */
  const rotating = {
    ...both,
    async encrypt(text: string) {
      const encrypted = await both.encrypt(text)
      if (rotations++ > 0) return encrypted
      const second = await before.encrypt('second')
      await sql.begin((tx) => rotateSecret(tx, { orgId: 'org_1', id }, second, LATER, NOW))
      return encrypted
    },
  }
  expect(await reencryptEndpoints(sql, rotating, NOW)).toEqual({ reencrypted: 1, failed: [] })
  const after = await createSecretBox(pair('new', 2))
  expect(await Promise.all((await secretsOf(id)).map((one) => after.decrypt(one)))).toEqual(['second', 'first'])
})

test('an expired previous secret is dropped, and one that cannot be decrypted is named while the others continue', async () => {
  await sql`delete from webhooks.endpoints`
  const [before, gone] = [await createSecretBox(pair('old', 1)), await createSecretBox(pair('gone', 3))]
  const both = await createSecretBox(`${pair('new', 2)},${pair('old', 1)}`)
  const lost = await gone.encrypt('lost')
  const unreadable = await endpointWith(await before.encrypt('a'), [lost], LATER)
  const expired = await endpointWith(await before.encrypt('b'), [lost], NOW)
  const last = await endpointWith(await before.encrypt('c'), [], LATER)
  expect(await reencryptEndpoints(sql, both, NOW)).toEqual({
    reencrypted: 3,
    failed: [
      { id: unreadable, reason: 'ENCRYPTION_KEYS lacks the key gone, with which a stored secret is encrypted.' },
    ],
  })
  const after = await createSecretBox(pair('new', 2))
  const [present = '', ...previous] = await secretsOf(unreadable)
  expect([await after.decrypt(present), ...previous]).toEqual(['a', lost])
  for (const [id, text] of [
    [expired, 'b'],
    [last, 'c'],
  ] as const) {
    expect(await Promise.all((await secretsOf(id)).map((one) => after.decrypt(one)))).toEqual([text])
  }
})
