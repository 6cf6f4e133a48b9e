import { expect, setDefaultTimeout, test } from 'bun:test'
import { TestMailServer } from '../../testing/mail/server.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { startService } from '../../testing/processes.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(60_000)
const market = await marketplaceWithWorkers([])
const { owner } = market.db
const server = await new TestMailServer().start()
const org = await market.organization(['MANUFACTURER'])
const other = await market.organization(['MANUFACTURER'])

const startSender = (more: Record<string, string> = {}) =>
  startService('organization', market.db, undefined, {
    SMTP_URL: server.url,
    MAIL_FROM: 'no-reply@example.com',
    MAIL_TIMEOUT_SECONDS: '1',
    ...more,
  })

interface Mail {
  id: string
  to: string
}

/** Due news, each for an address of its own. */
async function news(count: number, orgId = org.orgId): Promise<Mail[]> {
  const mails = Array.from({ length: count }, () => {
    const name = crypto.randomUUID()
    return { id: `mail_${name}`, address: `maddr_${name}`, to: `${name}@example.org` }
  })
  await owner`
    with addresses as (
      insert into organization.mail_addresses
        (id, org_id, email, topics, created_by, created_at, confirmed_at, unsubscribe_token)
      select n.address, ${orgId}, n.to, '{ENDPOINTS}', 'user_1', now(), now(), n.address
      from json_to_recordset(${JSON.stringify(mails)}::text::json) as n (address text, "to" text)
      returning id
    ), mails as (
      insert into organization.mails (id, org_id, kind, address_id, items, created_at, expires_at)
      select replace(id, 'maddr', 'mail'), ${orgId}, 'NOTICE', id, '[{"kind": "endpointPaused", "endpointId": "wh_1"}]',
        now(), now() + interval '24 hours' from addresses
      returning id, expires_at)
    insert into organization.jobs (kind, id, tenant_id, created_at, due_at, expires_at)
    select 'mail', id, ${orgId}, now(), now(), expires_at from mails`
  return mails
}

const stateOf = async ({ id }: Mail) =>
  (
    await owner<[{ state: string; attempts: number | null; failure: string | null; wait: number; leased: boolean }]>`
      select m.state, j.attempts, m.failure, extract(epoch from j.due_at - now())::float as wait,
        j.lease_until is not null as leased
      from organization.mails m left join organization.jobs j on j.id = m.id where m.id = ${id}`
  )[0]

/** The mail after so many attempts. One that was given up has none. */
const after = (mail: Mail, attempts: number | null) =>
  until(async () => {
    const state = await stateOf(mail)
    return state.attempts === attempts && !state.leased && state
  })
const makeDue = () => owner`update organization.jobs set due_at = now() where lease_until is null and due_at > now()`
const sent = async (mail: Mail) => (await stateOf(mail)).state === 'SENT'
const idsTo = ({ to }: Mail) => server.to(to).map(({ mail }) => mail.messageId)

const sender = await startSender()

test('a mail that is refused with 4xx is tried again after growing pauses, with its Message-ID', async () => {
  await server.set({ refuse: 'RCPT', status: 451 })
  const [mail] = (await news(1)) as [Mail]
  const waits: number[] = []
  for (let attempt = 1; attempt <= 3; attempt++) {
    const state = await after(mail, attempt)
    expect([state.state, state.failure]).toEqual(['PENDING', 'RECIPIENT'])
    waits.push(state.wait)
    await makeDue()
  }
  await server.set({ refuse: 'DATA', status: 452 })
  await after(mail, 4)
  for (const [n, [least, most]] of [
    [50, 75],
    [290, 365],
    [890, 1085],
  ].entries()) {
    expect(waits[n]).toBeGreaterThan(least as number)
    expect(waits[n]).toBeLessThan(most as number)
  }
  await server.set('accept')
  await makeDue()
  await until(() => sent(mail))
  expect(idsTo(mail)).toEqual([`<${mail.id}@localhost>`])
})

test.each(['RCPT', 'DATA'] as const)('a mail that is refused with 5xx after %s is given up', async (refuse) => {
  await server.set({ refuse, status: 550 })
  const [mail] = (await news(1)) as [Mail]
  const state = await after(mail, null)
  expect([state.state, state.failure]).toEqual(['FAILED', 'RECIPIENT'])
  await server.set('accept')
})

test('a server that refuses the password loses no mail, although it answers 5xx', async () => {
  await server.set({ refuse: 'AUTH', status: 535 })
  const [mail] = (await news(1)) as [Mail]
  const state = await after(mail, 1)
  expect([state.state, state.failure]).toEqual(['PENDING', 'SERVER'])
  await server.set('accept')
  await makeDue()
  await until(() => sent(mail))
})

test('a server that hangs is left after the time-out, and other mails wait only for it', async () => {
  await server.set('hang')
  const mails = await news(6)
  for (const mail of mails) expect((await after(mail, 1)).failure).toBe('SERVER')
  await server.set('accept')
  await makeDue()
  for (const mail of mails) await until(() => sent(mail))
  for (const mail of mails) expect(idsTo(mail)).toHaveLength(1)
})

test('a killed server loses and repeats nothing that it had not taken, and organizations take turns', async () => {
  const mails = await news(30)
  await until(() => sent(mails[0] as Mail))
  await server.kill()
  const [late] = (await news(1, other.orgId)) as [Mail]
  await until(async () => ((await stateOf(late)).attempts ?? 0) > 0)
  await server.start()
  await until(async () => {
    await makeDue()
    return (await Promise.all([...mails, late].map(sent))).every(Boolean)
  })
  const counts = mails.map((mail) => idsTo(mail).length)
  expect(Math.min(...counts)).toBe(1)
  // A mail that was taken while the server was killed may have lost its reply.
  expect(counts.filter((count) => count > 1).length).toBeLessThanOrEqual(4)
})

test('a sender that is killed before it recorded an accepted mail repeats that mail alone, with its Message-ID', async () => {
  const before = await news(5)
  for (const mail of before) await until(() => sent(mail))
  await server.set('takeAndWait')
  const [mail] = (await news(1)) as [Mail]
  await server.arrived(mail.to)
  sender.child.kill('SIGKILL')
  await sender.child.exited
  await server.set('accept')
  // The lease of the killed sender has ended.
  await owner`update organization.jobs set lease_until = now() where id = ${mail.id}`
  await Promise.all([startSender(), startSender()])
  const later = await news(20)
  for (const one of [mail, ...later]) await until(() => sent(one))
  expect(idsTo(mail)).toEqual(Array(2).fill(`<${mail.id}@localhost>`))
  for (const one of [...before, ...later]) expect(idsTo(one)).toHaveLength(1)
})
