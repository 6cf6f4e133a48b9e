import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { caseEventsOf, casesOf } from '../../testing/cases.ts'
import { confidentialParties, SECRET_PART, SECRET_RFQ, TERMS, termsOf } from '../../testing/confidentiality.ts'
import { createFactory } from '../../testing/factories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertAssignedOrder } from '../../testing/orders.ts'
import type { Page, Problem } from '../../testing/people.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing', 'catalog'])
const { designer, maker, rival, stranger, partId, rfqs, open, draft, groupsFor } = await confidentialParties(market)
const client = maker.administrator.client
const invited = rfqsOf(client)
const isRfq = TypeCompiler.Compile(Rfq)
const isPart = TypeCompiler.Compile(Part)

const readPart = (by = client, id = partId) => by.get<Part & Problem>(`/v1/parts/${id}`)
const historyOf = async (id: string, by = client) =>
  (await by.get<Page<{ kind: string; changes: { field: string; after?: unknown }[] }>>(`/v1/rfqs/${id}/history`)).body
    .items
const fieldsOf = (entries: Awaited<ReturnType<typeof historyOf>>) =>
  new Set(entries.flatMap(({ changes }) => changes.map(({ field }) => field)))

/** The required fields of `/v1`, and the terms that are to be accepted. */
const RFQ_FIELDS = [
  ...['awardedOfferIds', 'confidentialityTerms', 'consumerOrgId', 'createdTime', 'currency', 'deliveryRegionCode'],
  ...['expireTime', 'id', 'invitation', 'ipOwnerOrgId', 'manufacturerIds', 'partId', 'quantities', 'sealed'],
  ...['serialNumber', 'state', 'updatedTime'],
]

describe('an invited manufacturer that has not accepted the terms', () => {
  test('reads of the RFQ the required fields and the terms, in get and every list and search', async () => {
    const id = await open()
    // The first read is recorded in the invitation, which later ones show.
    await invited.read(id)
    const { body, text } = await invited.read(id)
    expect(Object.keys(body).toSorted()).toEqual(RFQ_FIELDS)
    expect(body).toMatchObject({ quantities: [10, 50], confidentialityTerms: TERMS, manufacturerIds: [maker.orgId] })
    expect(isRfq.Check(body)).toBe(true)
    for (const secret of ['secret', 'Dokvej', 'DAP', 'MATERIAL_CERTIFICATE', '2031-09-01']) {
      expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
    }
    const queries = [
      '',
      '?view=MANUFACTURER',
      '?q=impeller',
      `?partId=${partId}`,
      `?q=${body.serialNumber}`,
      '?state=OPEN',
    ]
    for (const query of queries) {
      const { items } = (await invited.list(query)).body
      expect([query, items.find((one) => one.id === id)]).toEqual([query, body])
    }
  })

  test('finds the RFQ by nothing that an outline does not tell', async () => {
    const id = await open()
    for (const q of ['secret', 'DRW-4711', SECRET_RFQ.requirements, 'Dokvej', TERMS.slice(0, 12)]) {
      const { items } = (await invited.list(`?q=${encodeURIComponent(q)}`)).body
      expect([q, items.filter((one) => one.id === id)]).toEqual([q, []])
    }
  })

  test('reads of the part title, material type, process and the required fields, without files, in get, batch and search', async () => {
    await open()
    const { status, body, text } = await readPart()
    const { serialNumber, technologyIds, createdTime, updatedTime, revision } = (
      await readPart(designer.administrator.client)
    ).body
    expect<unknown>([status, body]).toEqual([
      200,
      {
        id: partId,
        serialNumber,
        ipOwnerOrgId: designer.orgId,
        state: 'PUBLISHED',
        title: 'Impeller',
        materialType: 'metal',
        processId: 'pbf-metal',
        requireSubscription: false,
        internal: true,
        standardIds: [],
        criticalityIds: [],
        categoryIds: [],
        unspscCategoryIds: [],
        keywords: [],
        metadata: {},
        technologyIds,
        revision,
        createdTime,
        updatedTime,
      },
    ])
    expect(isPart.Check(body)).toBe(true)
    expect(text.toLowerCase()).not.toContain('secret')
    const batch = await client.post<{ items: Part[] }>('/flows/v1/parts:batch-get', { ids: [partId] })
    expect(batch.body.items).toEqual([body])
    const search = await client.get<Page<Part>>(`/flows/v1/parts?q=${serialNumber}`)
    expect(search.body.items).toEqual([body])
    expect((await client.get(`/v1/parts/${partId}/metadata`)).body).toEqual({ metadata: {} })
    expect((await client.get(`/v1/parts/${partId}/files`)).body).toEqual({ items: [] })
    expect((await client.get(`/v1/parts/${partId}/history`)).status).toBe(404)
  })

  test('reads no pinned revision and none of its files, which it reads after the acceptance', async () => {
    const fresh = await market.organization(['MANUFACTURER'])
    const id = await open({ manufacturerIds: [fresh.orgId] })
    const { partRevision } = (await rfqs.read(id)).body
    const by = fresh.administrator.client
    const paths = ['', '/files'].map((path) => `/flows/v1/parts/${partId}/revisions/${partRevision}${path}`)
    for (const path of paths) expect((await by.get(path)).status).toBe(404)
    await termsOf(by).accept(id)
    for (const path of paths) expect((await by.get(path)).status).toBe(200)
  })

  test('finds the part by nothing else, and no factories by what it needs', async () => {
    await open()
    for (const q of ['secret', 'DRW-4711']) {
      expect((await client.get<Page<Part>>(`/flows/v1/parts?q=${q}`)).body.items).toEqual([])
    }
    await createFactory(client)
    const ofPart = (id: string) => client.get<Problem>(`/v1/factories?view=MANUFACTURER&partId=${id}`)
    const [known, unknown] = [await ofPart(partId), await ofPart('part_unknown')]
    expect([known.status, known.body.detail]).toEqual([404, unknown.body.detail])
    await termsOf(client).accept(await open())
    expect((await ofPart(partId)).status).toBe(200)
  })

  test('reads in the history only the fields that it can read, from the publication on', async () => {
    const id = await open()
    await rfqs.act(id, 'amend', { requirements: 'Another secret.', reason: 'A secret reason.' })
    await rfqs.act(id, 'amend', { quantities: [7], requirements: 'A third secret.', reason: 'Fewer.' })
    const entries = await historyOf(id)
    expect(entries.map(({ kind, changes }) => [kind, changes.length > 3])).toEqual([
      ['UPDATE', false],
      ['CREATE', true],
    ])
    expect(entries[0]?.changes).toEqual([{ field: 'quantities', before: [10, 50], after: [7] } as never])
    expect(fieldsOf(entries).difference(new Set(RFQ_FIELDS))).toEqual(new Set())
    await termsOf(client).accept(id)
    const all = fieldsOf(await historyOf(id))
    for (const field of ['requirements', 'amendmentReason', 'incoterm', 'version'])
      expect([field, all.has(field)]).toEqual([field, true])
  })

  test('still reads only the outline after an amendment, the end of the RFQ and a decline', async () => {
    const id = await open()
    await rfqs.act(id, 'amend', { requirements: 'Another secret.', reason: 'A secret reason.' })
    expect(Object.keys((await invited.read(id)).body).toSorted()).toEqual(RFQ_FIELDS)
    await rfqsOf(rival.administrator.client).act(id, 'decline')
    const declined = await rfqsOf(rival.administrator.client).read(id)
    expect(Object.keys(declined.body).toSorted()).toEqual(RFQ_FIELDS)
    await rfqs.act(id, 'cancel', { reason: 'A secret reason.' })
    const { body } = await invited.read(id)
    expect([Object.keys(body).toSorted(), body.state]).toEqual([RFQ_FIELDS, 'CANCELLED'])
  })

  test('reads no documents of the RFQ: 404 as for an unknown one, and 200 after the acceptance', async () => {
    const fresh = await market.organization(['MANUFACTURER'])
    const id = await open({ manufacturerIds: [fresh.orgId] })
    const by = fresh.administrator.client
    const [before, unknown] = [
      await by.get<Problem>(`/flows/v1/rfqs/${id}/files`),
      await by.get<Problem>('/flows/v1/rfqs/rfq_unknown/files'),
    ]
    expect([before.status, before.body.detail]).toEqual([404, unknown.body.detail])
    await termsOf(by).accept(id)
    expect((await by.get(`/flows/v1/rfqs/${id}/files`)).status).toBe(200)
    expect((await designer.administrator.client.get(`/flows/v1/rfqs/${id}/files`)).status).toBe(200)
  })

  test('is notified of an amendment only if the outline shows it', async () => {
    const fresh = await market.organization(['MANUFACTURER'])
    const id = await open({ manufacturerIds: [maker.orgId, fresh.orgId] })
    await termsOf(fresh.administrator.client).accept(id)
    const amend = async (body: object) => {
      const events = await caseEventsOf(market, () => rfqs.act(id, 'amend', { ...body, reason: 'x' }))
      return new Set(events.map(({ tenantId }) => tenantId))
    }
    const whole = new Set([designer.orgId, fresh.orgId])
    expect(await amend({ requirements: 'Another secret.' })).toEqual(whole)
    expect(await amend({ quantities: [9] })).toEqual(new Set([...whole, maker.orgId]))
  })

  test('gets the same shape in the answers of its commands, and no more in its case', async () => {
    const id = await open()
    const { body } = await invited.act(id, 'decline')
    expect(Object.keys(body).toSorted()).toEqual(RFQ_FIELDS)
    const { items } = (await casesOf(rival.administrator.client).list(`?rfqId=${id}`)).body
    expect(items.length).toBe(1)
    expect(JSON.stringify(items).toLowerCase()).not.toContain('secret')
  })

  test('gets a list of its own acceptances that is empty', async () => {
    const id = await open()
    expect((await termsOf(client).acceptances(id)).body.items).toEqual([])
  })
})

describe('after the acceptance', () => {
  test('the manufacturer reads all that an invitee reads of RFQ and part, and the other one does not', async () => {
    const id = await open()
    await invited.read(id)
    const { status, body } = await termsOf(client).accept(id)
    const { delivery, ...terms } = SECRET_RFQ
    expect([status, body]).toEqual([200, (await invited.read(id)).body])
    expect(body).toMatchObject({ ...terms, delivery: { locality: 'Esbjerg', regionCode: 'DK' }, version: 1 })
    const listed = (await invited.list('?view=MANUFACTURER')).body.items.find((one) => one.id === id)
    expect(listed).toEqual(body)
    expect((await readPart()).body).toMatchObject(SECRET_PART)
    expect(await groupsFor(maker)).toEqual(['document'])
    expect((await client.get(`/v1/parts/${partId}/metadata`)).body).toEqual({ metadata: SECRET_PART.metadata })
    const other = rival.administrator.client
    expect(Object.keys((await rfqsOf(other).read(id)).body).toSorted()).toEqual(RFQ_FIELDS)
    expect((await readPart(other)).body).not.toHaveProperty('description')
    expect(await groupsFor(rival)).toEqual([])
  })

  test('a manufacturer that is invited again need not accept again', async () => {
    const id = await open()
    await termsOf(client).accept(id)
    expect((await invited.act(id, 'decline')).status).toBe(200)
    await rfqs.act(id, 'invite', { manufacturerIds: [maker.orgId] })
    expect((await invited.read(id)).body.requirements).toBe(SECRET_RFQ.requirements)
    expect((await termsOf(client).accept(id)).status).toBe(409)
  })
})

describe('a part that an organization reads by something else, too', () => {
  test('is read whole by a party to an order of it, and by an invitee of an RFQ without terms', async () => {
    const other = await market.organization(['MANUFACTURER'])
    const third = await market.organization(['MANUFACTURER'])
    await open({ manufacturerIds: [other.orgId, third.orgId] })
    expect((await readPart(other.administrator.client)).body).not.toHaveProperty('description')
    const plain = await draft({ manufacturerIds: [other.orgId], confidentialityTerms: undefined })
    expect((await rfqs.act(plain, 'publish')).status).toBe(200)
    expect((await readPart(other.administrator.client)).body.description).toBe(SECRET_PART.description)
    const parties = { consumerOrgId: designer.orgId, ipOwnerOrgId: designer.orgId, sellerOrgId: third.orgId }
    await insertAssignedOrder(market.db.owner, {
      ...parties,
      manufacturerOrgId: third.orgId,
      partId,
      factoryId: (await createFactory(third.administrator.client)).id,
    })
    expect((await readPart(third.administrator.client)).body.description).toBe(SECRET_PART.description)
    expect(await groupsFor(third)).toEqual(['document'])
  })

  test('is 404 for an organization that is not invited, with and without terms', async () => {
    const id = await open()
    const by = stranger.administrator.client
    expect([(await readPart(by)).status, (await rfqsOf(by).read(id)).status]).toEqual([404, 404])
    expect((await termsOf(by).acceptances(id)).status).toBe(404)
  })

  test('consumer and IP owner read everything without an acceptance', async () => {
    const id = await open()
    expect((await rfqs.read(id)).body).toMatchObject({ ...SECRET_RFQ, confidentialityTerms: TERMS })
    expect((await readPart(designer.administrator.client)).body).toMatchObject(SECRET_PART)
    expect(await groupsFor(designer)).toEqual(['development', 'document', 'ip'])
  })
})
