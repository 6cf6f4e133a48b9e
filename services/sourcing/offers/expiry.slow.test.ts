import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { startSourcing } from '../../testing/files/process.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { until } from '../../testing/until.ts'

setDefaultTimeout(60_000)
const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, maker, open, seller, draftOffer, submittedOffer } = await offerParties(market)
const { owner } = market.db

/** Longer than the start of the processes. */
const VALIDITY_MS = 8000
const RFQS = 3
const OFFERS_PER_RFQ = 15
const within = () => ({ validUntil: new Date(Date.now() + VALIDITY_MS).toISOString() })

async function submitSeveral(rfqId: string): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < OFFERS_PER_RFQ) ids.push(await submittedOffer(within(), rfqId))
  return ids
}

test('two processes expire each offer once within five seconds of its validity, with an event, without audit', async () => {
  const rfqIds = await Promise.all(Array.from({ length: RFQS }, () => open({ sealed: true })))
  const [processes, ids] = await Promise.all([
    Promise.all([startSourcing(market), startSourcing(market)]),
    Promise.all(rfqIds.map(submitSeveral)).then((perRfq) => perRfq.flat()),
  ])
  afterAll(() => Promise.all(processes.map(({ kill }) => kill())))
  const [draft, withdrawn, valid] = [await draftOffer(within()), await submittedOffer(within()), await submittedOffer()]
  await seller.act(withdrawn, 'withdraw')
  const audited = () => owner`
    select from organization.audit_log where org_id = ${maker.orgId} and procedure like 'offer.%'`
  const auditBefore = (await audited()).length

  const expired = await until(
    async () => {
      const rows = await owner<{ late_ms: number }[]>`
        select extract(epoch from updated_at - valid_until)::float * 1000 as late_ms from sourcing.offers
        where id = any(${ids}) and state = 'EXPIRED'`
      return rows.length === ids.length && rows
    },
    { withinMs: VALIDITY_MS + 10_000, what: 'the expiry of all offers' },
  )
  for (const { late_ms } of expired) expect([late_ms >= 0, late_ms <= 5000]).toEqual([true, true])

  const events = await owner<{ subject: string }[]>`
    select subject from sourcing.outbox where type = 'sourcing.offer.expired' order by subject`
  expect(events.map(({ subject }) => subject)).toEqual(ids.toSorted())
  expect((await audited()).length).toBe(auditBefore)
  const receiver = offersOf(consumer.administrator.client)
  for (const id of ids.slice(0, 3)) expect((await receiver.read(id)).body.state).toBe('EXPIRED')
  const states = await Promise.all([draft, withdrawn, valid].map(async (id) => (await seller.read(id)).body.state))
  expect(states).toEqual(['DRAFT', 'WITHDRAWN', 'SUBMITTED'])
})
