import { afterAll, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { testDatabase } from '../../testing/database.ts'
import { cleanUpAddresses } from '../mail-addresses/commands.ts'
import { cleanUpMails } from './cleanup.ts'

const { owner, urlOf } = await testDatabase()
const sql = connect(urlOf('organization'), { max: 1, applicationName: 'test-cleanup' })
afterAll(() => sql.end({ timeout: 1 }))

const NOW = '2026-06-01T12:00:00.000Z'
const { signal } = new AbortController()
const [orgId, addressId] = [newId('org'), newId('maddr')]
await owner`
  insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
  values (${orgId}, 'Vestland Additive', '{MANUFACTURER}', 'NO', 'DIRECT', ${NOW})`

const address = (id: string, confirmableUntil: string | null) => owner`
  insert into organization.mail_addresses
    (id, org_id, email, topics, created_by, created_at, confirmed_at, confirmable_until,
      unsubscribe_token)
  values (${id}, ${orgId}, ${`${id}@example.org`}, '{ORDERS}', 'user_1', ${NOW},
    ${confirmableUntil ? null : NOW}, ${confirmableUntil}, ${id})`
await address(addressId, null)

interface Row {
  createdAt?: string
  expiresAt?: string
  finishedAt?: string | null
  addressId?: string
  leased?: boolean
}

async function mail({ createdAt = NOW, expiresAt = '2026-06-02T00:00:00Z', finishedAt = null, ...more }: Row) {
  const id = newId('mail')
  await owner`
    insert into organization.mails (id, org_id, kind, address_id, recipient_hash, secret, state, created_at, expires_at,
      finished_at)
    values (${id}, ${orgId}, 'CONFIRMATION', ${more.addressId ?? addressId}, '\\x01', ${finishedAt ? null : 'encrypted'},
      ${finishedAt ? 'SENT' : 'PENDING'}, ${createdAt}, ${expiresAt}, ${finishedAt})`
  await owner`
    insert into organization.jobs (kind, id, created_at, due_at, lease_token, lease_until)
    select 'mail', ${id}, now(), now(), token, case when token is not null then now() + interval '1 minute' end
    from (select case when ${more.leased ?? false} then gen_random_uuid() end as token) lease`
  return id
}

const stateOf = async (id: string) =>
  (
    await owner`
    select state, secret is null as erased, recipient_hash is null as forgotten from organization.mails where id = ${id}`
  )[0]

test('expired and void mails are given up with their secrets, unless they are being sent', async () => {
  const expired = await mail({ expiresAt: NOW })
  const ofRemoved = await mail({ addressId: 'maddr_removed' })
  const sending = await mail({ expiresAt: NOW, leased: true })
  const waiting = await mail({})
  await cleanUpMails(sql, 30, NOW, signal)
  for (const id of [expired, ofRemoved]) expect(await stateOf(id)).toMatchObject({ state: 'FAILED', erased: true })
  for (const id of [sending, waiting]) expect(await stateOf(id)).toMatchObject({ state: 'PENDING', erased: false })
})

test('finished mails are deleted after the retention, and recipients are forgotten after an hour', async () => {
  const old = await mail({ createdAt: '2026-05-01T00:00:00Z', finishedAt: '2026-05-02T11:59:59Z' })
  const kept = await mail({ createdAt: '2026-05-02T00:00:00Z', finishedAt: '2026-05-02T12:00:01Z' })
  const recent = await mail({ createdAt: '2026-06-01T11:00:01Z' })
  await cleanUpMails(sql, 30, NOW, signal)
  expect(await stateOf(old)).toBeUndefined()
  expect(await stateOf(kept)).toMatchObject({ forgotten: true })
  expect(await stateOf(recent)).toMatchObject({ forgotten: false })
})

test('addresses that were not confirmed in time are removed, each with an event', async () => {
  await address('maddr_late', NOW)
  await address('maddr_open', '2026-06-01T12:00:01Z')
  await cleanUpAddresses(sql, NOW, signal)
  const left = await owner<{ id: string }[]>`select id from organization.mail_addresses order by id`
  expect(left.map(({ id }) => id)).toEqual([addressId, 'maddr_open'].toSorted())
  const events = await owner<{ type: string; subject: string; tenant_id: string }[]>`
    select type, subject, tenant_id from organization.outbox`
  expect(events.map((event) => ({ ...event }))).toEqual([
    { type: 'organization.mailAddress.changed', subject: 'maddr_late', tenant_id: orgId },
  ])
})
