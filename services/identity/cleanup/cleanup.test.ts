import { afterAll, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { cleanUpIdempotencyKeys } from '../../kit/idempotency/queries.ts'
import { testDatabase } from '../../testing/database.ts'
import { cleanUpIdentity } from './queries.ts'

const db = await testDatabase()
const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test' })
afterAll(() => sql.end({ timeout: 1 }))

const { signal } = new AbortController()
const now = new Date()
const ago = (hours: number) => new Date(now.getTime() - hours * 60 * 60 * 1000).toISOString()

test('cleanUpIdentity deletes expired rows only', async () => {
  const session = (id: string, expires: string, ended: string | null) => db.owner`
    insert into identity.sessions (id, user_id, org_id, session_version, created_at, last_used_at, expires_at, ended_at)
    values (${id}, 'user_1', 'org_1', 1, ${ago(1000)}, ${ago(1000)}, ${expires}, ${ended})`
  await session('live', ago(-1), null)
  await session('just-ended', ago(-1), ago(1))
  await session('long-ended', ago(-1), ago(25))
  await session('long-expired', ago(25), null)
  await db.owner`insert into identity.refresh_tokens (hash, session_id, created_at, expires_at)
    values ('\\x01', 'long-ended', now(), now()), ('\\x02', 'live', now(), now())`
  await db.owner`insert into identity.throttles (key, failures, window_started_at)
    values ('\\x01', 9, ${ago(25)}), ('\\x02', 9, ${ago(1)})`
  await db.owner`insert into identity.sign_in_failures (id, failed_at) values ('old', ${ago(25)}), ('new', ${ago(1)})`

  const challenge = (hash: number, expires: string) => db.owner`
    insert into identity.passkey_challenges (challenge_hash, purpose, browser_hash, network, created_at, expires_at)
    values (${Buffer.from([hash])}, 'SIGN_IN', '\\x01', '192.0.2.1', now(), ${expires})`
  await challenge(1, ago(0.01))
  await challenge(2, ago(-0.05))

  await cleanUpIdentity(sql, now.toISOString(), signal)
  const left = async (query: Promise<{ key: string }[]>) => (await query).map(({ key }) => key).sort()
  expect(await left(db.owner`select id as key from identity.sessions`)).toEqual(['just-ended', 'live'])
  expect(await left(db.owner`select session_id as key from identity.refresh_tokens`)).toEqual(['live'])
  expect(await left(db.owner`select encode(key, 'hex') as key from identity.throttles`)).toEqual(['02'])
  expect(await left(db.owner`select id as key from identity.sign_in_failures`)).toEqual(['new'])
  const challenges = db.owner<
    { key: string }[]
  >`select encode(challenge_hash, 'hex') as key from identity.passkey_challenges`
  expect(await left(challenges)).toEqual(['02'])
})

test('one cleanup deletes 2500 sign-in failures and throttles', async () => {
  await db.owner`
    insert into identity.sign_in_failures (id, failed_at)
    select 'guess' || n, ${ago(25)}::timestamptz from generate_series(1, 2500) n`
  await db.owner`
    insert into identity.throttles (key, failures, window_started_at)
    select decode(md5(n::text), 'hex'), 1, ${ago(25)}::timestamptz from generate_series(1, 2500) n`
  await cleanUpIdentity(sql, now.toISOString(), signal)
  expect(await db.owner`select id from identity.sign_in_failures where id like 'guess%'`).toHaveLength(0)
  expect(await db.owner`select key from identity.throttles where length(key) > 1`).toHaveLength(0)
})

test('idempotency keys are deleted after 24 hours', async () => {
  const insertKey = (key: string, at: string) => db.owner`
    insert into identity.idempotency_keys (user_id, operation, key, request_hash, response, created_at)
    values ('user_1', 'op', ${key}, '\\x00', '{}', ${at})`
  await insertKey('old', ago(24.1))
  await insertKey('young', ago(23.9))
  await cleanUpIdempotencyKeys(sql, now.toISOString(), signal)
  const rows = await db.owner`select key from identity.idempotency_keys`
  expect(rows.map(({ key }) => key)).toEqual(['young'])
})
