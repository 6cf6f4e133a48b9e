import { expect, setDefaultTimeout, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import { inHours, rfqParties } from '../../testing/rfqs.ts'
import { recordedMarketplace } from '../../testing/statement-log.ts'

setDefaultTimeout(60_000)
const INVITEES = 100
const { market, statements } = await recordedMarketplace()
const { buyer, draft } = await rfqParties(market)

const ids = Array.from({ length: INVITEES }, () => newId('org'))
await market.db.owner`
  insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
  select id, id, '{MANUFACTURER}', 'NO', 'DIRECT', now() from unnest(${ids}::text[]) id`

/** Those on invitations, cases and events. Workers do not send them while no RFQ and no offer expires. */
const OF_THE_VERB = /sourcing\.cases|insert into sourcing\.rfq_invitations|insert into outbox/

/** The statements of a verb on an RFQ, and the number of events of cases. */
async function statementsOf(manufacturerIds: string[], before: string[], verb: string, body?: object) {
  const id = await draft({ manufacturerIds })
  for (const earlier of before) await buyer.act(id, earlier)
  let sent: string[] = []
  const events = await caseEventsOf(market, async () => {
    statements.take()
    const { status, text } = await buyer.act(id, verb, body)
    expect([status, text]).toEqual([200, text])
    sent = statements.take().filter((statement) => OF_THE_VERB.test(statement))
  })
  return { sent, told: events.length }
}

test.each([
  ['publish', [], undefined],
  ['extend', ['publish'], { expireTime: inHours(100) }],
  ['close', ['publish'], undefined],
  ['cancel', ['publish'], { reason: 'Sold.' }],
])('%s of an RFQ with 100 invitees has the statements of one with one, and tells each', async (verb, before, body) => {
  // The consumer is also told when conversations are opened and closed.
  const conversations = verb === 'publish' || verb === 'cancel' ? 1 : 0
  const one = await statementsOf(ids.slice(0, 1), before, verb, body)
  const most = await statementsOf(ids, before, verb, body)
  expect([one.told, most.told]).toEqual([3 + conversations, INVITEES + 2 + INVITEES * conversations])
  expect(one.sent.length).toBeGreaterThan(2)
  expect(most.sent).toEqual(one.sent)
})
