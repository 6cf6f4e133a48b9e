import { expect, test } from 'bun:test'
import { marketplaceWithMail, PUBLIC_URL } from '../../testing/mail/market.ts'
import { addPasskey, PASSKEYS } from '../../testing/passkeys.ts'
import { until } from '../../testing/until.ts'

const { market, server } = await marketplaceWithMail()
const org = await market.organization(['CONSUMER'], { name: 'Skagen.Pumps' })
const { client: admin } = org.administrator

const subjectsTo = async (email: string, count: number) =>
  (await server.arrived(email, count)).map(({ mail }) => mail.subject)

test('a person is notified by mail when a passkey is added or removed', async () => {
  const { client, email } = await org.member([])
  const { passkey } = await addPasskey(market, client, { name: 'Name.of.the.passkey' })
  const [first] = await server.arrived(email, 1)
  expect(first?.mail.subject).toBe('A passkey was added to your account')
  const text = first?.mail.text ?? ''
  expect(text).toMatch(
    /a passkey was added to your account at the Sourcing and Manufacturing Marketplace, at \d{4}-\d\d-\d\d \d\d:\d\d UTC\./,
  )
  expect(text).toContain('If it was not you, change your password, check your passkeys, and tell an administrator of')
  expect(text).toContain(`${PUBLIC_URL}/console/account`)
  // It is a text that the person typed, or a thief.
  expect(text).not.toContain('Name')
  await client.send('DELETE', `${PASSKEYS}/${passkey.id}`)
  expect(await subjectsTo(email, 2)).toEqual([
    'A passkey was added to your account',
    'A passkey was removed from your account',
  ])
})

test('a reset by an administrator sends one mail, and none where there were no passkeys', async () => {
  const [member, without] = [await org.member([]), await org.member([])]
  await addPasskey(market, member.client)
  await addPasskey(market, member.client)
  await server.arrived(member.email, 2)
  for (const { userId } of [without, member]) await admin.post(`/flows/v1/users/${userId}/reset-passkeys`)
  expect(await subjectsTo(member.email, 3)).toEqual([
    'A passkey was added to your account',
    'A passkey was added to your account',
    'Your passkeys were reset',
  ])
  const mails = await market.db.owner`select id from organization.mails where user_id = ${without.userId}`
  expect(mails).toHaveLength(0)
})

test('these mails use up no links of the person, and are 20 an hour at most', async () => {
  const { client, email, userId } = await org.member([])
  await market.db.owner`
    insert into organization.mails (id, org_id, kind, user_id, state, created_at, expires_at, finished_at)
    select ${userId} || n, ${org.orgId}, 'PASSKEY_ADDED', ${userId}, 'SENT', now(), now(), now() from generate_series(1, 20) n`
  const { passkey } = await addPasskey(market, client)
  const consumed = async () =>
    (
      await market.db.owner<{ position: string }[]>`
        select o.seq::text as position from identity.outbox o where o.subject = ${passkey.id}`
    ).length
  expect(await consumed()).toBe(1)
  const reset = await admin.post(`/flows/v1/users/${userId}/reset-password`, { mail: true })
  expect(reset.status).toBe(200)
  expect(await subjectsTo(email, 1)).toEqual(['Choose a new password'])
  // The mail about a later passkey of another person shows that the event of this one was handled.
  const later = await org.member([])
  await addPasskey(market, later.client)
  await server.arrived(later.email, 1)
  const [{ count }] = await market.db.owner<[{ count: number }]>`
    select count(*)::int as count from organization.mails where user_id = ${userId} and kind = 'PASSKEY_ADDED'`
  expect(count).toBe(20)
})

test('a person who was anonymised meanwhile gets no mail', async () => {
  const member = await org.member([])
  await addPasskey(market, member.client)
  await server.arrived(member.email, 1)
  await market.db.owner`
    insert into organization.mails (id, org_id, kind, user_id, created_at, expires_at)
    values ('mail_late', ${org.orgId}, 'PASSKEY_REMOVED', ${member.userId}, now(), now() + interval '1 hour')`
  await admin.post(`/flows/v1/users/${member.userId}/anonymise`)
  const { failExpired } = await import('./queries.ts')
  await failExpired(market.db.owner, new Date().toISOString(), new AbortController().signal)
  const stateOf = async () =>
    (await market.db.owner<{ state: string }[]>`select state from organization.mails where id = 'mail_late'`)[0]?.state
  await until(async () => (await stateOf()) === 'FAILED', { what: 'the end of the mail' })
})
