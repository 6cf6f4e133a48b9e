import { describe, expect, test } from 'bun:test'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertMailAddress } from '../../testing/operations/organization-records.ts'
import type { Problem } from '../../testing/people.ts'
import { openSession } from '../../testing/sessions.ts'

const market = await marketplaceOf([])
const org = await market.organization(['CONSUMER'])
const member = await org.member([])

const eventsOf = async () =>
  (
    await market.db.owner<{ data: string }[]>`
      select data::text as data from organization.outbox where type = 'organization.notificationSettings.changed' order by seq`
  ).map(({ data }) => JSON.parse(data))

describe.each([
  ['/flows/v1/notification-settings', 'administrators', org.administrator, { orgId: org.orgId }],
  ['/flows/v1/me/notification-settings', 'mail', member, { orgId: org.orgId, userId: member.userId }],
] as const)('%s', (path, field, { client, ...user }, data) => {
  const patch = (body: object, headers = {}, by = client) => by.send<Problem>('PATCH', path, { body, headers })

  test('is on by default; a change is stored with one event, and a patch without a change emits none', async () => {
    const before = await eventsOf()
    const first = await client.get<object>(path)
    expect([first.status, first.body]).toMatchObject([200, { [field]: true }])
    expect((await patch({})).body as object).toMatchObject({ [field]: true })
    expect((await patch({ [field]: false })).body as object).toMatchObject({ [field]: false })
    expect((await patch({ [field]: false })).status).toBe(200)
    expect((await client.get<object>(path)).body).toMatchObject({ [field]: false })
    expect(await eventsOf()).toEqual([...before, data])
    const stale = await patch({ [field]: true }, { 'if-match': first.headers.get('etag') ?? '' })
    expect(stale.status).toBe(412)
    expect((await patch({ [field]: true })).body as object).toMatchObject({ [field]: true })
  })

  test('is not changed during an impersonation, and takes no other value', async () => {
    const grant = { actingEmail: 'support@example.com', grantId: `grant_${field}` }
    const { accessToken } = await openSession(market, user as typeof member, grant)
    expect((await patch({ [field]: false }, {}, new ApiClient(market.url, accessToken))).status).toBe(403)
    for (const value of ['false', null, 1]) expect((await patch({ [field]: value })).status).toBe(400)
    expect((await client.get<object>(path)).body).toMatchObject({ [field]: true })
  })
})

test('the settings of the organization need org:admin', async () => {
  const { status } = await member.client.get('/flows/v1/notification-settings')
  const { status: changed } = await member.client.send('PATCH', '/flows/v1/notification-settings', {
    body: { administrators: false },
  })
  expect([status, changed]).toEqual([403, 403])
})

test('whether mail reaches a user is told only where mail is sent: after a link, or as a confirmed address', async () => {
  const path = '/flows/v1/me/notification-settings'
  expect(Object.keys((await member.client.get<object>(path)).body).toSorted()).toEqual(['mail', 'proved'])
  const sending = await marketplaceOf([], { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' })
  const [company, other] = [await sending.organization(['CONSUMER']), await sending.organization(['CONSUMER'])]
  const [linked, listed] = [await company.member([]), await company.member([])]
  const settingsOf = async ({ client }: typeof linked) => (await client.get<object>(path)).body
  expect(await settingsOf(linked)).toEqual({ mail: true, proved: false, reachable: false })
  await sending.db.owner`
    insert into organization.user_notifications (user_id, proved_email_key)
    select id, email_key from organization.users where id = ${linked.userId}`
  expect(await settingsOf(linked)).toEqual({ mail: true, proved: true, reachable: true })

  // An address of another organization, or one that is not confirmed, does not count.
  const { owner } = sending.db
  const [foreign, own] = [await insertMailAddress(owner, other.administrator), await insertMailAddress(owner, listed)]
  await owner`update organization.mail_addresses set email = ${listed.email} where id in (${foreign}, ${own})`
  const confirm = (id: string) => owner`
    update organization.mail_addresses set confirmed_at = now(), confirmable_until = null, confirmation_hash = null
    where id = ${id}`
  await confirm(foreign)
  expect(await settingsOf(listed)).toEqual({ mail: true, proved: false, reachable: false })
  await confirm(own)
  expect(await settingsOf(listed)).toEqual({ mail: true, proved: false, reachable: true })
  const { status, body } = await listed.client.send<object>('PATCH', path, { body: { mail: false } })
  expect([status, body]).toEqual([200, { mail: false, proved: false, reachable: true }])
})
