import { expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { testDatabase } from '../../testing/database.ts'
import { reencryptEndpoints } from './re-encrypt.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('webhooks'), { max: 1, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
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
  expect(await reencryptEndpoints(sql, both)).toEqual({ reencrypted: ENDPOINTS })
  expect(await reencryptEndpoints(sql, both)).toEqual({ reencrypted: 0 })
  const after = await createSecretBox(pair('new', 2))
  const rows = await sql<{ secret: string; previous_secrets: string[] }[]>`
    select secret, previous_secrets from webhooks.endpoints order by id`
  expect(await Promise.all(rows.map(({ secret }) => after.decrypt(secret)))).toEqual(
    rows.map((_, index) => `secret ${index}`),
  )
  expect(await after.decrypt(rows[0]?.previous_secrets[0] ?? '')).toBe('old')
})
