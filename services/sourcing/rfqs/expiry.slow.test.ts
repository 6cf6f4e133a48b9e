import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { startSourcing } from '../../testing/files/process.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { rfqParties, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(60_000)
const market = await marketplaceWithWorkers(['sourcing'], RACING)
const { consumer, maker, rival, buyer, draft, open } = await rfqParties(market)
const { owner } = market.db

const EXPIRY_MS = 3000
const RFQS = 40
const inAnHour = () => new Date(Date.now() + 60 * 60 * 1000).toISOString()

test('two processes close each RFQ once within five seconds of its expiry, with history and event, without audit', async () => {
  const processes = await Promise.all([startSourcing(market), startSourcing(market)])
  afterAll(() => Promise.all(processes.map(({ kill }) => kill())))
  const [extended, ...ids] = (await Promise.all(
    Array.from({ length: 1 + RFQS }, () => open({ expireTime: inAnHour() })),
  )) as [string, ...string[]]
  // One statement, so that all expire at once however long their creation took.
  await owner`
    update sourcing.rfqs set expires_at = now() + ${`${EXPIRY_MS} milliseconds`}::interval where id = any(${[...ids, extended]})`
  expect((await buyer.act(extended, 'extend', { expireTime: inAnHour() })).status).toBe(200)
  const expiredDraft = await draft({ expireTime: new Date().toISOString() })
  const audited = () => owner`
    select from organization.audit_log where org_id = ${consumer.orgId} and procedure like 'rfq.%'`
  const auditBefore = (await audited()).length

  const closed = await until(
    async () => {
      const rows = await owner<{ late_ms: number }[]>`
        select extract(epoch from updated_at - expires_at)::float * 1000 as late_ms from sourcing.rfqs
        where id = any(${ids}) and state = 'CLOSED'`
      return rows.length === RFQS && rows
    },
    { withinMs: EXPIRY_MS + 10_000, what: 'the expiry of all RFQs' },
  )
  for (const { late_ms } of closed) expect([late_ms >= 0, late_ms <= 5000]).toEqual([true, true])

  const events = await owner<{ subject: string }[]>`
    select subject from sourcing.outbox where type = 'sourcing.rfq.closed' order by subject`
  expect(events.map(({ subject }) => subject)).toEqual(ids.toSorted())
  for (const id of ids.slice(0, 5)) {
    const { body } = await consumer.administrator.client.get<{ items: { changes: unknown[] }[] }>(
      `/v1/rfqs/${id}/history`,
    )
    const [closing, , publication] = body.items.map(({ changes }) => changes)
    expect(closing).toEqual([{ field: 'state', before: 'OPEN', after: 'CLOSED' }])
    expect(publication).toEqual([
      { field: 'state', before: 'DRAFT', after: 'OPEN' },
      { field: 'partRevision', after: 1 },
      { field: 'version', after: 1 },
    ])
    expect((await rfqsOf(maker.administrator.client).read(id)).body.state).toBe('CLOSED')
  }
  expect((await audited()).length).toBe(auditBefore)
  // An expired draft stays a draft, and a later expiry keeps an RFQ open.
  await until(async () => (await owner`select from sourcing.rfqs where id = ${expiredDraft} and expired`).length === 1)
  expect((await buyer.read(expiredDraft)).body.state).toBe('DRAFT')
  expect((await buyer.read(extended)).body.state).toBe('OPEN')
})

test('an invitation concurrent with the expiry is 409 or precedes it', async () => {
  const id = await open({ expireTime: new Date(Date.now() + 2000).toISOString() })
  const answers: number[] = []
  await until(async () => {
    const { status } = await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] })
    answers.push(status)
    return (await buyer.read(id)).body.state === 'CLOSED'
  })
  expect(answers.toSorted()).toEqual(answers)
  expect((await buyer.act(id, 'invite', { manufacturerIds: [rival.orgId] })).status).toBe(409)
})
