import { afterAll, expect, test } from 'bun:test'
import { connect } from '../../../kit/db/client.ts'
import { createSecretBox } from '../../../kit/secrets/box.ts'
import { testDatabase } from '../../../testing/database.ts'
import { reencryptImports } from './re-encrypt.ts'

const keyOf = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`
const [older, newer] = [keyOf('older', 1), keyOf('newer', 2)]
/** More than two batches. */
const PENDING = 1_203

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-re-encrypt' })
afterAll(() => sql.end())

const urlOf = (n: number) => `https://drawings.example.com/${n}?sig=secret`

test('the URLs of pending imports are re-encrypted with the first key, which alone then decrypts them', async () => {
  const before = await createSecretBox(older)
  const urls = await Promise.all(Array.from({ length: PENDING }, (_, n) => before.encrypt(urlOf(n))))
  await db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into sourcing.jobs (kind, id, data, created_at, due_at)
      select 'file-import', 'file_' || n - 1, jsonb_build_object('encryptedUrl', url), now(), now()
      from unnest(${urls}::text[]) with ordinality as encrypted (url, n)`
    await tx`
      insert into sourcing.jobs (kind, id, data, created_at, due_at)
      values ('file-copy', 'file_copy', '{"sourceKey": "upload_1", "sourceEtag": "tag"}', now(), now())`
  })
  const both = await createSecretBox(`${newer},${older}`)
  expect(await reencryptImports(sql, both)).toEqual({ reencrypted: PENDING, failed: [] })
  expect(await reencryptImports(sql, both)).toEqual({ reencrypted: 0, failed: [] })
  const alone = await createSecretBox(newer)
  const rows = await db.owner<{ file_id: string; encrypted_url: string }[]>`
    select id as file_id, data ->> 'encryptedUrl' as encrypted_url from sourcing.jobs where kind = 'file-import'`
  const opened = await Promise.all(
    rows.map(async ({ file_id, encrypted_url }) => [file_id, await alone.decrypt(encrypted_url)] as const),
  )
  expect(new Map(opened)).toEqual(new Map(urls.map((_, n) => [`file_${n}`, urlOf(n)])))
})

test('URLs that were encrypted with a missing key are named, and the others are re-encrypted', async () => {
  const [third, fourth] = [keyOf('third', 3), keyOf('fourth', 4)]
  const url = await (await createSecretBox(fourth)).encrypt(urlOf(1))
  await db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into sourcing.jobs (kind, id, data, created_at, due_at)
      values ('file-import', 'file_readable', jsonb_build_object('encryptedUrl', ${url}::text), now(), now())`
  })
  const { reencrypted, failed } = await reencryptImports(sql, await createSecretBox(`${third},${fourth}`))
  expect([reencrypted, failed.length]).toEqual([1, PENDING])
  expect(failed[0]).toEqual({
    id: 'file_0',
    reason: 'ENCRYPTION_KEYS lacks the key newer, with which a stored secret is encrypted.',
  })
})
