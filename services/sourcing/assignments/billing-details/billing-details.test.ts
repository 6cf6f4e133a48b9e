import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ASSIGNMENT_EVENTS } from '../../../../proto/events/assignments.ts'
import { BillingDetails } from '../../../../proto/http/sourcing/billing-details.ts'
import { assignmentOf, assignmentsOf, eventsOf } from '../../../testing/assignments.ts'
import { marketplaceOf } from '../../../testing/marketplace.ts'
import { orderParties } from '../../../testing/orders.ts'
import { insertSubrecords } from '../../../testing/subrecords.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const made = assignmentsOf(maker.administrator.client).billingDetails
const bought = assignmentsOf(consumer.administrator.client).billingDetails
const PARTIES = [consumer, ipOwner, maker, seller, distributor]
const isBillingDetails = TypeCompiler.Compile(BillingDetails)
const address = { regionCode: 'DK', locality: 'Esbjerg', postalCode: '6700', lines: ['Havnegade 12', 'Att. Regnskab'] }
const skagen = {
  companyName: 'Skagen Pumps A/S',
  address,
  taxId: 'DK12345678',
  email: 'invoices@skagen-pumps.example.com',
  reference: 'PO 4500012345',
}

const opened = async (state: 'PLACED' | 'COMPLETED' = 'PLACED') => assignmentOf(owner, await place({ state }))

describe('billing details', () => {
  test('are created by any organization of the order; every organization reads them and is notified', async () => {
    const id = await opened()
    const created = await bought(id).create(skagen)
    expect([created.status, isBillingDetails.Check(created.body)]).toEqual([201, true])
    expect(created.body).toMatchObject({ ...skagen, assignmentId: id, orgId: consumer.orgId })
    for (const org of PARTIES) {
      const { billingDetails } = assignmentsOf(org.administrator.client)
      expect((await billingDetails(id).list()).body).toEqual({ items: [created.body], hasMore: false })
      expect((await billingDetails(id).read(created.body.id)).text).toBe(created.text)
    }
    const events = await eventsOf(owner, id)
    expect(events.map(({ type, tenantId }) => [type, tenantId])).toEqual(
      PARTIES.map(({ orgId }) => ['assignments.billing-details.created', orgId]),
    )
    for (const { data } of events) {
      expect(TypeCompiler.Compile(ASSIGNMENT_EVENTS['assignments.billing-details.created']).Check(data)).toBe(true)
      expect(data).toEqual({ assignment: expect.objectContaining({ id }), billingDetails: created.body })
    }
    for (const org of [ipOwner, maker, seller, distributor]) {
      const { billingDetails } = assignmentsOf(org.administrator.client)
      expect((await billingDetails(id).create(skagen)).body.orgId).toBe(org.orgId)
    }
  })

  test('need only a company and an address', async () => {
    const id = await opened()
    const least = { companyName: 'Skagen Pumps', address: { regionCode: 'DK', locality: 'Esbjerg', lines: [] } }
    const { body } = await bought(id).create(least)
    expect(isBillingDetails.Check(body)).toBe(true)
    expect(Object.keys(body)).toEqual([
      'id',
      'assignmentId',
      'orgId',
      'companyName',
      'address',
      'createdTime',
      'updatedTime',
    ])
    expect(body.address).toEqual(least.address)
  })

  test('are changed and deleted by their organization; null clears a field, an address is replaced', async () => {
    const id = await opened()
    const { body: created } = await bought(id).create(skagen)
    const moved = { regionCode: 'NO', locality: 'Bergen', lines: [] }
    const patched = await bought(id).patch(created.id, { taxId: null, address: moved })
    const { taxId, ...rest } = created
    expect(taxId).toBe(skagen.taxId)
    const changed = { ...rest, address: moved, updatedTime: patched.body.updatedTime }
    expect([patched.status, patched.body]).toEqual([200, changed])
    const same = { address: { lines: [], locality: 'Bergen', regionCode: 'NO' } }
    expect((await bought(id).patch(created.id, same)).text).toBe(patched.text)
    expect((await bought(id).remove(created.id)).status).toBe(204)
    expect((await made(id).read(created.id)).status).toBe(404)
    const told = (await eventsOf(owner, id)).filter(({ tenantId }) => tenantId === maker.orgId)
    expect(told.map(({ type, data }) => [type, data.billingDetails])).toEqual([
      ['assignments.billing-details.created', created],
      ['assignments.billing-details.updated', changed],
      ['assignments.billing-details.deleted', changed],
    ])
  })

  test('of another organization are 404 for a change, although they are readable; of a foreign assignment for all', async () => {
    const [id, other] = [await opened(), await opened()]
    const { body: created } = await bought(id).create(skagen)
    for (const org of [ipOwner, maker, seller, distributor, stranger]) {
      const { billingDetails } = assignmentsOf(org.administrator.client)
      expect((await billingDetails(id).patch(created.id, { companyName: 'Other' })).status).toBe(404)
      expect((await billingDetails(id).remove(created.id)).status).toBe(404)
    }
    const outside = assignmentsOf(stranger.administrator.client).billingDetails(id)
    expect([(await outside.list()).status, (await outside.read(created.id)).status]).toEqual([404, 404])
    expect((await outside.create(skagen)).status).toBe(404)
    expect((await bought(other).read(created.id)).status).toBe(404)
    expect((await bought(other).remove(created.id)).status).toBe(404)
    expect((await bought(id).read(created.id)).body).toEqual(created)
  })

  test.each([
    ['no company', { companyName: undefined }],
    ['no address', { address: undefined }],
    ['an unknown country', { address: { ...address, regionCode: 'ZZ' } }],
    ['a region that is no country', { address: { ...address, regionCode: 'EU' } }],
    ['an address with another field', { address: { ...address, floor: 2 } }],
    ['a bad e-mail address', { email: 'invoices' }],
    ['a long tax number', { taxId: '1'.repeat(51) }],
    ['null', { reference: null }],
    ['another field', { iban: 'DK50' }],
  ])('%s is 400, in a patch too where it is a value', async (_, more) => {
    const id = await opened()
    expect((await bought(id).create({ ...skagen, ...more })).status).toBe(400)
    const [value] = Object.values(more)
    if (value === undefined || value === null) return
    const { body: created } = await bought(id).create(skagen)
    expect((await bought(id).patch(created.id, more)).status).toBe(400)
  })

  test('without assignment:manage are 403, and without assignment:read unreadable', async () => {
    const id = await opened()
    const { body: created } = await bought(id).create(skagen)
    const reader = assignmentsOf((await consumer.member(['assignment:read'])).client).billingDetails(id)
    expect((await reader.create(skagen)).status).toBe(403)
    expect((await reader.patch(created.id, { reference: null })).status).toBe(403)
    expect((await reader.remove(created.id)).status).toBe(403)
    expect((await reader.list()).status).toBe(200)
    const writer = assignmentsOf((await consumer.member(['assignment:manage'])).client).billingDetails(id)
    expect([(await writer.list()).status, (await writer.read(created.id)).status]).toEqual([403, 403])
  })

  test('of an archived assignment are fixed: 409', async () => {
    const id = await opened('COMPLETED')
    const { body: created } = await bought(id).create(skagen)
    await assignmentsOf(seller.administrator.client).act(id, 'archive')
    for (const { status, text } of [
      await bought(id).create(skagen),
      await bought(id).patch(created.id, { reference: null }),
      await bought(id).remove(created.id),
    ]) {
      expect([status, text]).toEqual([409, expect.stringContaining('The assignment is ARCHIVED, not CURRENT.')])
    }
    expect((await made(id).list()).body.items).toEqual([created])
  })

  test('number 51 of an organization is 409; another organization still has room', async () => {
    const id = await opened()
    await insertSubrecords(owner, { kind: 'billing', parentId: id, orgId: consumer.orgId }, 50)
    const answer = await bought(id).create(skagen)
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
    expect((await made(id).create(skagen)).status).toBe(201)
  })

  test('are created once for an Idempotency-Key, changed only where If-Match matches, and logged without content', async () => {
    const id = await opened()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, again] = [await bought(id).create(skagen, key), await bought(id).create(skagen, key)]
    expect([again.status, again.body]).toEqual([201, first.body])
    const { id: billingDetailsId } = first.body
    const tag = (await bought(id).read(billingDetailsId)).headers.get('etag') as string
    expect((await bought(id).patch(billingDetailsId, { reference: 'A' }, { 'if-match': '"other"' })).status).toBe(412)
    expect((await bought(id).patch(billingDetailsId, { reference: 'A' }, { 'if-match': tag })).status).toBe(200)
    await bought(id).remove(billingDetailsId)
    const entries = await owner<{ procedure: string; request: object }[]>`
      select procedure, request from organization.audit_log
      where org_id = ${consumer.orgId} and success and request ->> 'billingDetailsId' = ${billingDetailsId} order by id`
    expect(entries.map(({ procedure, request }) => [procedure, request])).toEqual([
      ['assignment.billingDetails.create', { id, billingDetailsId }],
      ['assignment.billingDetails.patch', { id, billingDetailsId, fields: ['reference'] }],
      ['assignment.billingDetails.delete', { id, billingDetailsId }],
    ])
  })
})
