import { describe, expect, test } from 'bun:test'
import type { Permission } from '../../proto/permissions.ts'
import { casesOf, qualityCase } from '../testing/cases.ts'
import { marketplaceOf, type TestUser } from '../testing/marketplace.ts'
import { openSession } from '../testing/sessions.ts'
import { holdRequest } from '../testing/socket.ts'

/** What the kit does for every command, shown with a few of them. */
const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const org = await market.organization(['IP_OWNER'])
const member = () => org.member(['part:create', 'case:manage', 'case:read', 'user:manage'])

const newKey = () => ({ 'idempotency-key': crypto.randomUUID() })
const createPart = ({ client }: TestUser, headers: Record<string, string> = {}, title = 'Impeller') =>
  client.post<{ id: string; code?: string }>('/v1/parts', { title }, headers)

/** The audit entries of a user since it was created, oldest first. */
const entriesOf = async ({ userId }: TestUser) => {
  const rows = await owner<{ procedure: string; error: string | null }[]>`
    select procedure, error from organization.audit_log
    where actor_id = ${userId} and procedure <> 'auth.signIn' order by id`
  return rows.map(({ procedure, error }) => [procedure, error])
}
const partsNamed = async (title: string) =>
  (await owner`select id from sourcing.parts where document::json ->> 'title' = ${title}`).length

describe('a repeated Idempotency-Key', () => {
  test('is answered with the first answer, and writes no second record, event or audit entry', async () => {
    const [user, key, title] = [await member(), newKey(), crypto.randomUUID()]
    const answers = [await createPart(user, key, title), await createPart(user, key, title)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[1]?.text).toBe(answers[0]?.text as string)
    const events = await owner`select id from sourcing.outbox where subject = ${answers[0]?.body.id ?? ''}`
    expect([await partsNamed(title), events.length]).toEqual([1, 1])
    expect(await entriesOf(user)).toEqual([
      ['activation.redeem', null],
      ['part.create', null],
    ])
  })

  test('with another body is 409 with an audit entry of the refusal', async () => {
    const [user, key] = [await member(), newKey()]
    await createPart(user, key)
    expect((await createPart(user, key, 'Rotor')).body.code).toBe('idempotency_conflict')
    expect((await entriesOf(user)).slice(1)).toEqual([
      ['part.create', null],
      ['part.create', 'idempotency_conflict'],
    ])
  })

  test('of another user, another operation or another record is another request', async () => {
    const [user, other, key] = [await member(), await member(), newKey()]
    const part = (await createPart(user, key)).body.id
    expect((await createPart(other, key)).body.id).not.toBe(part)
    const cases = casesOf(user.client)
    const first = (await cases.create(qualityCase(), key)).body.id
    const second = (await cases.create(qualityCase())).body.id
    const task = { title: 'Measure the flange' }
    const created = await Promise.all([first, second].map((id) => cases.tasks(id).create(task, key)))
    expect(created.map(({ status, body }) => [status, body.caseId])).toEqual([
      [201, first],
      [201, second],
    ])
  })

  test('is the same request for 24 hours', async () => {
    const [user, key] = [await member(), newKey()]
    const part = (await createPart(user, key)).body.id
    const age = (time: string) => owner`
      update sourcing.idempotency_keys set created_at = now() - ${time}::interval where user_id = ${user.userId}`
    await age('23:59')
    expect((await createPart(user, key)).body.id).toBe(part)
    await age('24:01')
    expect((await createPart(user, key)).body.id).not.toBe(part)
  })

  test('of a user who lost the permission since is 403', async () => {
    const [user, key] = [await member(), newKey()]
    await createPart(user, key)
    await owner`delete from organization.user_roles where user_id = ${user.userId}`
    const { status } = await held(user, key, () => Promise.resolve())
    expect(status).toBe(403)
  })

  test('of a command whose answer has a link repeats the link, which is stored encrypted', async () => {
    const [user, headers] = [await member(), newKey()]
    const body = { email: `${crypto.randomUUID()}@example.com`, givenName: 'Ida', familyName: 'Holm' }
    const create = () => user.client.post<{ activationUrl: string }>('/flows/v1/users', body, headers)
    const [first, again] = [await create(), await create()]
    expect([first.status, again.text]).toEqual([201, first.text])
    const [row] = await owner`select response from organization.idempotency_keys where user_id = ${user.userId}`
    expect(row?.response).not.toContain('activate')
  })
})

/** The answer to a command whose last byte is sent after a change. */
async function held(user: TestUser, headers: Record<string, string>, change: (sessionId: string) => Promise<unknown>) {
  const { id, accessToken } = await openSession(market, user)
  const authorization = `Bearer ${accessToken}`
  // The service knows the token before the change.
  await market.anonymous.get('/v1/parts', { headers: { authorization } })
  const body = JSON.stringify({ title: 'Impeller' })
  const request = await holdRequest(market.running.port, {
    target: 'POST /v1/parts',
    headers: { authorization, ...headers },
    body,
  })
  await change(id)
  return request.finish()
}

describe('a command reads its caller again after its body has arrived', () => {
  const PERMISSIONS: Permission[] = ['part:create']

  test.each([
    [
      401,
      'a deactivated user',
      ({ userId }: TestUser) => owner`
      update organization.users set active = false where id = ${userId}`,
    ],
    [
      403,
      'a user whose role was withdrawn',
      ({ userId }: TestUser) => owner`
      delete from organization.user_roles where user_id = ${userId}`,
    ],
    [
      401,
      'an ended session',
      (_: TestUser, sessionId: string) => owner`
      update identity.sessions set ended_at = now() where id = ${sessionId}`,
    ],
  ])('%d for %s, and writes no part', async (expected, _, change) => {
    const user = await org.member(PERMISSIONS)
    const before = await partsNamed('Impeller')
    const { status } = await held(user, {}, (sessionId) => change(user, sessionId))
    expect([status, await partsNamed('Impeller')]).toEqual([expected, before])
    const refusals = expected === 403 ? [['part.create', 'forbidden']] : []
    expect((await entriesOf(user)).slice(1)).toEqual(refusals)
  })

  test('200 where nothing has changed', async () => {
    expect((await held(await org.member(PERMISSIONS), {}, () => Promise.resolve())).status).toBe(200)
  })
})
