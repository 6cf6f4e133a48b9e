import { expect, test } from 'bun:test'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'

const market = await marketplaceOf([])
const { owner } = market.db
const { administrator } = await market.organization(['IP_OWNER'])
const other = await market.organization(['IP_OWNER'])

const token = (body: object) => market.anonymous.post<{ refresh_token: string }>('/v2.3/oauth/token', body)
const signIn = async (username: string) =>
  (await token({ grant_type: 'password', username, password: TEST_PASSWORD })).body.refresh_token

/** Adds sessions that are newer than every earlier one, and returns the id of the latest one before. */
async function addSessions(userId: string, count: number): Promise<string> {
  const [latest] = await owner<{ id: string }[]>`
    select id from identity.sessions where user_id = ${userId} order by id desc limit 1`
  await owner`
    insert into identity.sessions
      (id, user_id, org_id, session_version, created_at, last_used_at, expires_at, method)
    select id || lpad(n::text, 4, '0'), user_id, org_id, session_version, created_at, last_used_at, expires_at, method
    from identity.sessions, generate_series(1, ${count}) n where id = ${latest?.id ?? ''}`
  return latest?.id ?? ''
}

const endedAmong = async (userId: string) =>
  (
    await owner<{ id: string }[]>`
    select id from identity.sessions where user_id = ${userId} and ended_at is not null order by id`
  ).map(({ id }) => id)

test('A user has at most 1,000 sessions: a further one ends the oldest, which is announced', async () => {
  const strangers = await signIn(other.administrator.email)
  await owner`delete from identity.sessions where user_id = ${administrator.userId}`
  const first = await signIn(administrator.email)
  const firstId = await addSessions(administrator.userId, 998)
  const last = await signIn(administrator.email)
  expect(await endedAmong(administrator.userId)).toEqual([])

  await signIn(administrator.email)
  expect(await endedAmong(administrator.userId)).toEqual([firstId])
  const [announced] = await owner<{ data: { sessionIds: string[] } }[]>`
    select data::jsonb as data from identity.outbox where type = 'identity.session.revoked' and subject = ${firstId}`
  expect(announced?.data.sessionIds).toEqual([firstId])
  const refresh = async (refresh_token: string) => (await token({ grant_type: 'refresh_token', refresh_token })).status
  expect([await refresh(first), await refresh(last), await refresh(strangers)]).toEqual([401, 200, 200])
})
