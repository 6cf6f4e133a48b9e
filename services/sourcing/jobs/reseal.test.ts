import { afterAll, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { createSecretBox } from '../../kit/secrets/box.ts'
import { testDatabase } from '../../testing/database.ts'
import { resealImports } from './reseal.ts'

const keyOf = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`
const [older, newer] = [keyOf('older', 1), keyOf('newer', 2)]
/** More than are read at a time. */
const PENDING = 1_203

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-reseal' })
afterAll(() => sql.end())

const addressOf = (n: number) => `https://drawings.example.com/${n}?sig=secret`

test('the addresses of pending imports are sealed anew with the key in front, and open with it alone', async () => {
  const before = await createSecretBox(older)
  const urls = await Promise.all(Array.from({ length: PENDING }, (_, n) => before.encrypt(addressOf(n))))
  await db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into sourcing.file_jobs (file_id, kind, sealed_url, next_attempt_at, deadline_at)
      select 'file_' || n - 1, 'import', url, now(), now() + interval '1 hour'
      from unnest(${urls}::text[]) with ordinality as sealed (url, n)`
    await tx`
      insert into sourcing.file_jobs (file_id, kind, source_key, source_etag, next_attempt_at, deadline_at)
      values ('file_copy', 'copy', 'upload_1', 'tag', now(), now() + interval '1 hour')`
  })
  const both = await createSecretBox(`${newer},${older}`)
  expect(await resealImports(sql, both)).toEqual({ resealed: PENDING })
  expect(await resealImports(sql, both)).toEqual({ resealed: 0 })
  const alone = await createSecretBox(newer)
  const rows = await db.owner<{ file_id: string; sealed_url: string }[]>`
    select file_id, sealed_url from sourcing.file_jobs where kind = 'import'`
  const opened = await Promise.all(
    rows.map(async ({ file_id, sealed_url }) => [file_id, await alone.decrypt(sealed_url)] as const),
  )
  expect(new Map(opened)).toEqual(new Map(urls.map((_, n) => [`file_${n}`, addressOf(n)])))
})

test('one that was sealed with a key that is gone is told, not lost', async () => {
  const stranger = await createSecretBox(keyOf('third', 3))
  await expect(resealImports(sql, stranger)).rejects.toThrow('ENCRYPTION_KEYS lacks the key newer')
})
