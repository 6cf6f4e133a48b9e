import { describe, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import { awardsOf } from '../../testing/awards.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { publishedPart, rfqParties, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'
import { findStaleRfqs } from './part-change-queries.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { consumer, ipOwner, maker, rival, stranger, buyer, open } = await rfqParties(market)
const owner = rfqsOf(ipOwner.administrator.client)
const invited = rfqsOf(maker.administrator.client)

const idsIn = async (by: typeof buyer, query: string) => {
  const { status, body } = await by.list(`?pageSize=50&${query}`)
  expect(status).toBe(200)
  return body.items.map(({ id }) => id)
}

const valve = await publishedPart(ipOwner.administrator.client, { title: 'Välve 100%_body' })
const opened = await open()
const ofValve = await open({ partId: valve })

describe('q of GET /v1/rfqs', () => {
  const q = (text: string) => `q=${encodeURIComponent(text)}`

  test.each(['välve', 'LVE 100', '100%_b', '%_', 'ä', 'Välve 100%_body'])(
    '%p finds the RFQ whose part has it in the title, without case, in each view',
    async (text) => {
      for (const [by, view] of [
        [buyer, 'CONSUMER'],
        [owner, 'IP_OWNER'],
        [invited, 'MANUFACTURER'],
      ] as const) {
        expect(await idsIn(by, q(text))).toEqual([ofValve])
        expect(await idsIn(by, `${q(text)}&view=${view}`)).toEqual([ofValve])
      }
    },
  )

  test('finds the exact serial number of the RFQ or of the part without case, and no part of one', async () => {
    const { serialNumber } = (await buyer.read(opened)).body
    const part = await ipOwner.administrator.client.get<{ serialNumber: string }>(`/v1/parts/${valve}`)
    for (const by of [buyer, owner, invited]) {
      expect(await idsIn(by, q(serialNumber.toLowerCase()))).toEqual([opened])
      expect(await idsIn(by, q(part.body.serialNumber.toLowerCase()))).toEqual([ofValve])
      expect(await idsIn(by, q(serialNumber.slice(0, -1)))).toEqual([])
    }
    expect(await idsIn(rfqsOf(stranger.administrator.client), q(serialNumber))).toEqual([])
  })

  test.each(['100__body', '\\', 'nothing has this'])('%p has no match', async (text) => {
    expect(await idsIn(buyer, q(text))).toEqual([])
  })

  test('is combined with the other filters, and an empty q counts as not sent', async () => {
    expect(await idsIn(buyer, `${q('välve')}&state=CLOSED`)).toEqual([])
    expect(await idsIn(buyer, `${q('välve')}&state=OPEN&excludeDrafts=true&excludeExpired=true`)).toEqual([ofValve])
    expect(await idsIn(buyer, 'q=')).toEqual(await idsIn(buyer, ''))
  })

  test('a new title of the part is found soon, the former one no longer, and the history has no entry', async () => {
    const { client } = ipOwner.administrator
    const part = await publishedPart(client, { title: 'Bracket' })
    const id = await open({ partId: part })
    await client.send('PATCH', `/flows/v1/parts/${part}`, { body: { title: 'Gearwheel' } })
    for (const by of [buyer, owner, invited]) {
      await until(async () => (await idsIn(by, q('gearwheel'))).includes(id), { what: 'the new title' })
      expect(await idsIn(by, q('bracket'))).toEqual([])
    }
    const { body } = await consumer.administrator.client.get<{ items: unknown[] }>(`/v1/rfqs/${id}/history`)
    expect(body.items).toHaveLength(2)
  })

  describe('after the part is archived, renamed and published again', () => {
    const renamed = async (more: object = {}) => {
      const { client } = ipOwner.administrator
      const [former, present] = [crypto.randomUUID(), crypto.randomUUID()]
      const part = await publishedPart(client, { title: former })
      const id = await open({ partId: part, manufacturerIds: [maker.orgId, rival.orgId], ...more })
      await client.post(`/flows/v1/parts/${part}/archive`)
      await client.send('PATCH', `/flows/v1/parts/${part}`, { body: { title: present } })
      return { client, part, id, former, present }
    }
    const finds = async (by: typeof buyer, title: string, id: string) => (await idsIn(by, q(title))).includes(id)
    const rivals = rfqsOf(rival.administrator.client)

    test('the IP owner finds the new title at once, the others once the part is published again', async () => {
      const { client, part, id, former, present } = await renamed()
      await until(() => finds(owner, present, id), { what: 'the new title' })
      expect(await finds(owner, former, id)).toBe(false)
      for (const by of [buyer, invited, rivals]) {
        expect([await finds(by, former, id), await finds(by, present, id)]).toEqual([true, false])
      }
      await client.post(`/flows/v1/parts/${part}/unarchive`)
      for (const by of [buyer, invited, rivals]) {
        await until(() => finds(by, present, id), { what: 'the title of the part that was published again' })
        expect(await finds(by, former, id)).toBe(false)
      }
    })

    test('a party to an order finds the title of the pinned revision, not a later one', async () => {
      const { id, former, present } = await renamed()
      await until(() => finds(owner, present, id), { what: 'the new title' })
      const factory = await createFactory(maker.administrator.client)
      const offers = offersOf(maker.administrator.client)
      const { body } = await offers.create(offerBody(id, factory.id))
      await offers.act(body.id, 'submit')
      await awardsOf(consumer.administrator.client).accept(body.id, { quantity: 10 })
      for (const by of [buyer, invited]) {
        expect([await finds(by, former, id), await finds(by, present, id)]).toEqual([true, false])
      }
    })
  })

  test('an event of a part leads to a refresh only if the title of one of its RFQs or invitations differs', async () => {
    const { owner: admin } = market.db
    const part = await publishedPart(ipOwner.administrator.client, { title: 'Stator' })
    const isStale = async (limit = 100) => (await findStaleRfqs(admin, part, limit))[0]?.is_some
    expect(await isStale()).toBe(false)
    const id = await open({ partId: part })
    expect(await isStale()).toBe(false)
    // More RFQs than the handler looks at.
    expect(await isStale(0)).toBe(true)
    for (const [table, key, column] of [
      ['rfqs', 'id', 'owner_part_title'],
      ['rfqs', 'id', 'part_title'],
      ['rfq_invitations', 'rfq_id', 'part_title'],
    ] as const) {
      const set = (title: string) => admin`
        update sourcing.${admin(table)} set ${admin(column)} = ${title} where ${admin(key)} = ${id}`
      await set('Former')
      expect([column, await isStale()]).toEqual([column, true])
      await set('Stator')
      expect([column, await isStale()]).toEqual([column, false])
    }
  })

  test('the titles of many RFQs are refreshed in short transactions: finished ones are not locked', async () => {
    const { client } = ipOwner.administrator
    const part = await publishedPart(client, { title: 'Turbine' })
    const { owner: admin } = market.db
    await admin`
      insert into sourcing.rfqs (id, serial_number, part_id, part_title, owner_part_title, part_serial_number,
        consumer_org_id, ip_owner_org_id, state, terms, manufacturer_ids, expires_at, created_at, updated_at)
      select 'rfq_' || lpad(n::text, 26, '0'), 'R-' || n, ${part}, 'Turbine', 'Turbine', 'P-1', ${consumer.orgId},
        ${ipOwner.orgId}, 'DRAFT', '{"currency":"EUR","deliveryRegionCode":"DK","quantities":[1],"sealed":false}', '{}', now() + interval '1 day', now(), now()
      from generate_series(1, 250) n`
    const count = async (title: string) => {
      const [row] = await admin<{ rfqs: number }[]>`
        select count(*)::int as rfqs from sourcing.rfqs
        where part_id = ${part} and part_title = ${title} and owner_part_title = ${title}`
      return row?.rfqs
    }
    const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holder = admin.begin(async (tx) => {
      await tx`select from sourcing.rfqs where id = ${`rfq_${'150'.padStart(26, '0')}`} for update`
      locked.resolve()
      await done.promise
    })
    await locked.promise
    await client.send('PATCH', `/flows/v1/parts/${part}`, { body: { title: 'Rotor' } })
    // On Postgres the event waits for the end of the transaction above, so the job is started without it.
    const sql = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test' })
    await sql.begin((tx) => startJob(tx, { kind: 'rfq-titles', id: part }, new Date().toISOString()))
    await sql.end({ timeout: 1 })
    await until(async () => (await count('Rotor')) === 100, { what: 'the first titles', withinMs: 20_000 })
    await admin`select from sourcing.rfqs where id = ${`rfq_${'1'.padStart(26, '0')}`} for update nowait`
    done.resolve()
    await holder
    await until(async () => (await count('Rotor')) === 250, { what: 'all titles', withinMs: 20_000 })
    await until(async () => (await admin`select from sourcing.jobs where kind = 'rfq-titles'`).length === 0)
    await admin`delete from sourcing.rfqs where part_id = ${part}`
  })

  test('the new title of a part that became internal is not found by its consumer, who cannot read it', async () => {
    const { client } = ipOwner.administrator
    const part = await publishedPart(client, { title: 'Bellows' })
    const [id, other] = [await open({ partId: part }), await publishedPart(client, { title: 'Coupling' })]
    const marker = await open({ partId: other })
    await client.send('PATCH', `/flows/v1/parts/${part}`, { body: { internal: true, title: 'Secret bellows' } })
    // The events of parts are processed in order, so the first one was when the second one is.
    await client.send('PATCH', `/flows/v1/parts/${other}`, { body: { title: 'Flange' } })
    await until(async () => (await idsIn(buyer, q('flange'))).includes(marker), { what: 'the title of the other part' })
    expect(await idsIn(buyer, q('secret'))).toEqual([])
    expect(await idsIn(buyer, q('bellows'))).toEqual([id])
  })
})
