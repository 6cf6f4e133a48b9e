import { describe, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { createLog } from '../../kit/log/log.ts'
import { captureLog } from '../../testing/captured-log.ts'
import { casesOf, qualityCase } from '../../testing/cases.ts'
import { MAIL_ADDRESSES, marketplaceWithMail } from '../../testing/mail/market.ts'
import type { ReceivedMail } from '../../testing/mail/server.ts'
import type { TestOrganization } from '../../testing/marketplace.ts'
import { euros } from '../../testing/offers.ts'
import { lineOffer, packageParties } from '../../testing/packages.ts'
import { rfqParties, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'
import { inboxMailer } from './inbox.ts'

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing'])
const { owner } = market.db
const { consumer, maker, rival, buyer, open } = await rfqParties(market)
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
const sql = connect(market.db.urlOf('organization'), { max: 2, applicationName: 'test-inbox-mails' })
market.db.beforeDrop(() => sql.end({ timeout: 1 }))

const { destination, errors } = captureLog()
const log = createLog({ service: 'organization', version: '0', level: 'info', destination })
const of = ({ administrator }: TestOrganization) => casesOf(administrator.client)
const conversation = async (rfqId: string) => (await of(maker).list(`?rfqId=${rfqId}`)).body.items[0]?.id as string
const mailTo = async (email: string, count = 1) => (await server.arrived(email, count)).at(-1) as ReceivedMail
const linksIn = ({ mail }: ReceivedMail) =>
  [...(mail.text ?? '').matchAll(/^https:\/\/market\.example\.com\/console(.*)$/gm)].map(([, path]) => path)
const countIn = (address: { id: string }) => owner<{ count: number }[]>`
  select (item -> 'count')::int as count from organization.mails m cross join lateral jsonb_array_elements(m.items) item
  where m.address_id = ${address.id} and m.state = 'PENDING' and item ->> 'kind' = 'caseMessage'`

describe('messages', () => {
  test('of a case are one item with their number for the other party, and none for the own organization', async () => {
    const rfqId = await open(both)
    const id = await conversation(rfqId)
    const [buying, making, losing] = [
      await confirmed(consumer, ['CASES']),
      await confirmed(maker, ['CASES']),
      await confirmed(rival, ['CASES']),
    ]
    await of(maker).write(id, 'A secret of the trade.')
    await until(async () => (await countIn(buying)).length === 1)
    for (let n = 0; n < 4; n++) await of(maker).write(id, `${n}`)
    await until(async () => (await countIn(buying))[0]?.count === 5)
    await of(consumer).write(id, 'Thanks.')
    expect(await collected(making, 1)).toEqual(['caseMessage'])
    expect(await collected(buying, 1)).toEqual(['caseMessage'])
    expect(await collected(losing, 0)).toEqual([])
    await release()
    const { serialNumber } = (await buyer.read(rfqId)).body
    const mail = await mailTo(buying.email)
    expect(mail.mail.subject).toBe(`5 new messages in a case about RFQ ${serialNumber} (Impeller)`)
    expect(linksIn(mail)[0]).toBe(`/cases/${id}`)
    for (const text of [mail.raw, mail.mail.text]) expect(text).not.toContain('secret')
    expect((await mailTo(making.email)).mail.subject).toBe(
      `A new message in a case about RFQ ${serialNumber} (Impeller)`,
    )
  })

  test('of two cases are two items', async () => {
    const buying = await confirmed(consumer, ['CASES'])
    for (let n = 0; n < 2; n++) await of(maker).write(await conversation(await open(both)), 'Hello')
    expect(await collected(buying, 2)).toEqual(['caseMessage', 'caseMessage'])
  })

  test('are no news of an address without the topic CASES', async () => {
    const [offers, cases] = [await confirmed(consumer, ['OFFERS']), await confirmed(consumer, ['CASES'])]
    await of(maker).write(await conversation(await open(both)), 'Hello')
    await collected(cases, 1)
    expect(await collected(offers, 0)).toEqual([])
  })
})

describe('a decision of an expense', () => {
  const body = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }
  const expense = async (id: string) => (await of(maker).expenses(id).create(body)).body.id

  test('is mailed to the party that proposed it, with its case, and not to the one that decided', async () => {
    const id = await conversation(await open(both))
    const [buying, making, offers] = [
      await confirmed(consumer, ['CASES']),
      await confirmed(maker, ['CASES']),
      await confirmed(maker, ['OFFERS']),
    ]
    for (const verb of ['approve', 'approve', 'reject']) {
      expect(
        (
          await of(consumer)
            .expenses(id)
            .act(await expense(id), verb)
        ).status,
      ).toBe(200)
    }
    expect(await collected(making, 3)).toEqual(['expenseApproved', 'expenseApproved', 'expenseRejected'])
    expect([await collected(buying, 1), await collected(offers, 0)]).toEqual([['caseExpense'], []])
    await release()
    const mail = await mailTo(making.email)
    expect(mail.mail.text).toContain('Another organization approved your expense in a case')
    expect(mail.mail.text).toContain('Another organization rejected your expense in a case')
    expect(linksIn(mail)[0]).toBe(`/cases/${id}`)
    for (const secret of ['480', 'CT scan']) expect(mail.mail.text).not.toContain(secret)
  })

  test('is no news where a change proposes it again, nor in a case of one party', async () => {
    const id = await conversation(await open(both))
    const making = await confirmed(maker, ['CASES'])
    const rejected = await expense(id)
    await of(consumer).expenses(id).act(rejected, 'reject')
    await of(maker)
      .expenses(id)
      .patch(rejected, { amount: euros('1') })
    await of(maker).expenses(id).remove(rejected)
    const own = (await of(maker).create(qualityCase())).body.id
    const { client } = await maker.member(['case:read', 'case:manage'])
    expect(
      (
        await casesOf(client)
          .expenses(own)
          .act(await expense(own), 'approve')
      ).status,
    ).toBe(200)
    await of(consumer).write(id, 'Hello')
    expect(await collected(making, 2)).toEqual(['expenseRejected', 'caseMessage'])
  })
})

test('the consumer is notified of a decline once, although it also ends the conversation', async () => {
  const buying = await confirmed(consumer)
  const rfqId = await open(both)
  await rfqsOf(maker.administrator.client).act(rfqId, 'decline')
  await rfqsOf(rival.administrator.client).act(rfqId, 'decline')
  expect(await collected(buying, 2)).toEqual(['declined', 'declined'])
})

describe('the daily summary', () => {
  const DAY_MS = 24 * 60 * 60 * 1000
  const today = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00Z`)

  /** Runs the worker at a time, until it has taken every address. */
  async function summarize(nowMs: number) {
    const controller = new AbortController()
    const worker = inboxMailer({ sql, log, now: () => new Date(nowMs).toISOString(), hour: 6, delayMs: 3_600_000 })
    const running = worker.run(controller.signal)
    const day = new Date(nowMs - 6 * 3_600_000).toISOString().slice(0, 10)
    await until(async () => {
      const [{ left }] = await owner<[{ left: number }]>`
        select count(*)::int as left from organization.mail_addresses
        where topics @> '{INBOX}' and confirmed_at is not null and (inbox_mailed_on is null or inbox_mailed_on < ${day})`
      return left === 0
    })
    controller.abort()
    await running
  }
  const summaries = ({ id }: { id: string }) => owner`
    select item from organization.mails m cross join lateral jsonb_array_elements(m.items) item
    where m.address_id = ${id} and item ->> 'kind' = 'inbox'`

  test('tells an address with the topic INBOX once a day how much waits, and no other address', async () => {
    const org = await market.organization(['MANUFACTURER', 'CONSUMER'])
    for (let n = 0; n < 2; n++) await open({ manufacturerIds: [org.orgId] })
    const caseId = (await of(org).create(qualityCase())).body.id
    const body = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }
    await of(org).expenses(caseId).create(body)
    const [wants, other] = [await confirmed(org, ['INBOX']), await confirmed(org, ['CASES', 'ENDPOINTS'])]
    await summarize(today)
    await summarize(today + 60_000)
    expect([(await summaries(wants)).length, (await summaries(other)).length]).toEqual([1, 0])
    await release()
    const mail = await mailTo(wants.email)
    expect(mail.mail.subject).toBe('Waiting for your organization: 2 invitations, 1 expense to decide')
    expect(linksIn(mail)[0]).toBe('')
    expect(mail.mail.text).not.toContain('480')
    await summarize(today + DAY_MS)
    expect(await summaries(wants)).toHaveLength(2)
  })

  test('names packages with what waits of them, each with its page, and counts each once', async () => {
    const trade = await packageParties(market)
    const { id } = await trade.open({ title: 'Gearboxes' })
    await open({ manufacturerIds: [trade.maker.orgId] })
    const lines = (await trade.makers.read(id)).body.lines.slice(0, 2)
    const offers = lines.map(({ rfqId }) => lineOffer(rfqId, trade.factoryId, '10'))
    await trade.makers.offer(id, { lines: offers, submit: true })
    await trade.packages.act(id, 'amend', { requirements: 'Deburred.', reason: 'Edges.' })
    const addresses = await Promise.all(
      [trade.maker, trade.rival, trade.consumer].map((org) => confirmed(org, ['INBOX'])),
    )
    await summarize(today)
    await release()
    const mails = await Promise.all(addresses.map(({ email }) => mailTo(email)))
    const sentences = mails.map(({ mail }) => (mail.text ?? '').split('\n').filter((line) => /: \d/.test(line)))
    expect(sentences).toEqual([
      [
        'Waiting for your organization: 2 invitations, 1 outdated offer',
        'Of the package Gearboxes: 1 invitation, 2 outdated offers',
      ],
      ['Waiting for your organization: 1 invitation', 'Of the package Gearboxes: 2 invitations'],
      ['Waiting for your organization: 1 RFQ to compare', 'Of the package Gearboxes: 2 RFQs to compare'],
    ])
    expect(mails.map((mail) => linksIn(mail).slice(0, 2))).toEqual(
      Array.from({ length: 3 }, () => ['', `/packages/${id}`]),
    )
  })

  test('counts the tasks and expenses in a case of two parties', async () => {
    const buying = await confirmed(consumer, ['INBOX'])
    const id = await conversation(await open(both))
    await of(maker).tasks(id).create({ title: 'Report', assigneeOrgId: consumer.orgId })
    const body = { description: 'CT scan', amount: euros('480.5'), incurredDate: '2026-04-29' }
    await of(maker).expenses(id).create(body)
    await summarize(today)
    const [summary] = await summaries(buying)
    expect(summary?.item.waiting).toEqual(
      expect.arrayContaining([
        { kind: 'TASK', count: 1 },
        { kind: 'EXPENSE_TO_DECIDE', count: 1 },
      ]),
    )
  })

  test('of other organizations is sent where the items of one cannot be read', async () => {
    const [failing, org] = [await market.organization(['MANUFACTURER']), await market.organization(['MANUFACTURER'])]
    await open({ manufacturerIds: [failing.orgId, org.orgId] })
    const [without, wants] = [await confirmed(failing, ['INBOX']), await confirmed(org, ['INBOX'])]
    await owner.unsafe(`
      alter view sourcing.waiting_items rename to readable_items;
      create view sourcing.waiting_items as
        select org_id, kind from sourcing.readable_items
        union all select org_id, (1 / length(left(org_id, 0)))::text from sourcing.inbox_invitations
        where org_id = '${failing.orgId}';
      grant select on sourcing.waiting_items to marketplace_organization`)
    try {
      await summarize(today)
    } finally {
      await owner.unsafe(`
        drop view sourcing.waiting_items;
        alter view sourcing.readable_items rename to waiting_items`)
    }
    expect([(await summaries(without)).length, (await summaries(wants)).length]).toEqual([0, 1])
    expect(errors().filter((line) => line.orgId === failing.orgId)).toHaveLength(1)
  })

  test('is not sent before its hour, nor where nothing waits, nor to an unconfirmed address', async () => {
    const org = await market.organization(['MANUFACTURER', 'CONSUMER'])
    const idle = await confirmed(await market.organization(['MANUFACTURER']), ['INBOX'])
    await open({ manufacturerIds: [org.orgId] })
    const address = await confirmed(org, ['INBOX'])
    await owner`update organization.mail_addresses set inbox_mailed_on = ${new Date(today).toISOString().slice(0, 10)}
      where id = ${address.id}`
    const { administrator } = org
    const { body: unconfirmed } = await administrator.client.post<{ id: string }>(MAIL_ADDRESSES, {
      email: `${crypto.randomUUID()}@example.org`,
      topics: ['INBOX'],
    })
    const fiveNextDay = today - 12 * 3_600_000 + DAY_MS + 5 * 3_600_000
    await summarize(fiveNextDay)
    expect(await summaries(address)).toHaveLength(0)
    await summarize(fiveNextDay + 3_600_000)
    const sent = [await summaries(address), await summaries(idle), await summaries(unconfirmed)]
    expect(sent.map(({ length }) => length)).toEqual([1, 0, 0])
  })

  test('is no topic of an address that names none', async () => {
    const { body } = await consumer.administrator.client.post<{ topics: string[] }>(MAIL_ADDRESSES, {
      email: `${crypto.randomUUID()}@example.org`,
    })
    expect(body.topics).toEqual(['INVITATIONS', 'OFFERS', 'AWARDS', 'ORDERS', 'CASES', 'ENDPOINTS'])
  })
})
