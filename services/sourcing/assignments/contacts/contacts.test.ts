import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ASSIGNMENT_EVENTS } from '../../../../proto/events/assignments.ts'
import { AssignmentContact } from '../../../../proto/http/sourcing/assignment-contacts.ts'
import { assignmentOf, assignmentsOf, eventsOf } from '../../../testing/assignments.ts'
import { marketplaceOf } from '../../../testing/marketplace.ts'
import { orderParties } from '../../../testing/orders.ts'
import { insertSubrecords } from '../../../testing/subrecords.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { consumer, ipOwner, maker, seller, distributor, stranger, place } = await orderParties(market)
const made = assignmentsOf(maker.administrator.client).contacts
const bought = assignmentsOf(consumer.administrator.client).contacts
const PARTIES = [consumer, ipOwner, maker, seller, distributor]
const isContact = TypeCompiler.Compile(AssignmentContact)
const ingrid = {
  name: 'Ingrid Solberg',
  role: 'Quality manager',
  email: 'ingrid.solberg@nordvik-additive.example.com',
  phone: '+47 55 12 34 56',
}

const opened = async (state: 'PLACED' | 'COMPLETED' = 'PLACED') => assignmentOf(owner, await place({ state }))

async function archived() {
  const id = await opened('COMPLETED')
  const contact = (await made(id).create(ingrid)).body
  expect((await assignmentsOf(maker.administrator.client).act(id, 'archive')).status).toBe(200)
  return { id, contact }
}

const lastEntry = async (procedure: string) => {
  const [entry] = await owner`
    select request from organization.audit_log
    where org_id = ${maker.orgId} and procedure = ${procedure} and success order by id desc limit 1`
  return entry?.request
}

describe('a contact', () => {
  test('is created by any organization of the order; every organization reads it and is notified', async () => {
    const id = await opened()
    const created = await Promise.all(
      PARTIES.map((org) => assignmentsOf(org.administrator.client).contacts(id).create(ingrid)),
    )
    for (const [index, { status, body }] of created.entries()) {
      expect([status, isContact.Check(body), body.orgId]).toEqual([201, true, PARTIES[index]?.orgId as string])
      expect(body).toMatchObject({ ...ingrid, assignmentId: id })
    }
    const [first] = created
    for (const org of PARTIES) {
      const { contacts } = assignmentsOf(org.administrator.client)
      expect((await contacts(id).list()).body.items).toHaveLength(5)
      expect((await contacts(id).read(first?.body.id as string)).text).toBe(first?.text as string)
    }
    const events = (await eventsOf(owner, id)).filter(
      ({ data }) => (data.contact as AssignmentContact).id === first?.body.id,
    )
    expect(events.map(({ type, tenantId }) => [type, tenantId])).toEqual(
      PARTIES.map(({ orgId }) => ['assignments.contacts.created', orgId]),
    )
    for (const { data } of events) {
      expect(TypeCompiler.Compile(ASSIGNMENT_EVENTS['assignments.contacts.created']).Check(data)).toBe(true)
      expect(data).toEqual({ assignment: expect.objectContaining({ id }), contact: first?.body })
    }
  })

  test('is changed and deleted by its organization; null clears a field; each change is told as it is then', async () => {
    const id = await opened()
    const { body: contact } = await made(id).create(ingrid)
    const patched = await made(id).patch(contact.id, { name: 'Purchasing', role: null })
    const { role, ...rest } = contact
    expect(role).toBe(ingrid.role)
    const changed = { ...rest, name: 'Purchasing', updatedTime: patched.body.updatedTime }
    expect([patched.status, patched.body]).toEqual([200, changed])
    expect((await bought(id).read(contact.id)).body).toEqual(changed)
    expect((await made(id).patch(contact.id, { name: 'Purchasing' })).text).toBe(patched.text)
    expect((await made(id).remove(contact.id)).status).toBe(204)
    expect((await bought(id).read(contact.id)).status).toBe(404)
    expect((await made(id).remove(contact.id)).status).toBe(404)
    const told = (await eventsOf(owner, id)).filter(({ tenantId }) => tenantId === consumer.orgId)
    expect(told.map(({ type, data }) => [type, data.contact])).toEqual([
      ['assignments.contacts.created', contact],
      ['assignments.contacts.updated', changed],
      ['assignments.contacts.deleted', changed],
    ])
  })

  test('of another organization is 404 for a change, although it is readable', async () => {
    const id = await opened()
    const { body: contact } = await made(id).create(ingrid)
    for (const org of [consumer, ipOwner, seller, distributor, stranger]) {
      const { contacts } = assignmentsOf(org.administrator.client)
      expect((await contacts(id).patch(contact.id, { name: 'Other' })).status).toBe(404)
      expect((await contacts(id).remove(contact.id)).status).toBe(404)
    }
    expect((await made(id).read(contact.id)).body).toEqual(contact)
    expect((await eventsOf(owner, id)).every(({ type }) => type === 'assignments.contacts.created')).toBe(true)
  })

  test('of an unknown or foreign assignment, or of another assignment, is 404', async () => {
    const [id, other] = [await opened(), await opened()]
    const { body: contact } = await made(id).create(ingrid)
    const outside = assignmentsOf(stranger.administrator.client).contacts(id)
    expect((await outside.create(ingrid)).status).toBe(404)
    expect([(await outside.list()).status, (await outside.read(contact.id)).status]).toEqual([404, 404])
    expect((await made('assignment_unknown').create(ingrid)).status).toBe(404)
    expect((await made(other).read(contact.id)).status).toBe(404)
    expect((await made(other).patch(contact.id, { name: 'Other' })).status).toBe(404)
    expect((await made(other).remove(contact.id)).status).toBe(404)
  })

  test.each([
    ['no name', { name: undefined }],
    ['a blank name', { name: ' ' }],
    ['a long name', { name: 'a'.repeat(201) }],
    ['a name of two lines', { name: 'a\nb' }],
    ['null', { role: null }],
    ['a bad e-mail address', { email: 'ingrid' }],
    ['a long telephone number', { phone: '1'.repeat(41) }],
    ['another field', { orgId: 'org_1' }],
  ])('%s is 400', async (_, more) => {
    expect((await made(await opened()).create({ ...ingrid, ...more })).status).toBe(400)
  })

  test('a patch with a bad value, or null for the name, is 400', async () => {
    const id = await opened()
    const { body: contact } = await made(id).create(ingrid)
    for (const bad of [{ name: null }, { name: '' }, { email: 'ingrid' }, { id: 'contact_1' }]) {
      expect([bad, (await made(id).patch(contact.id, bad)).status]).toEqual([bad, 400])
    }
  })

  test('without assignment:manage is 403, and without assignment:read unreadable', async () => {
    const id = await opened()
    const { body: contact } = await made(id).create(ingrid)
    const reader = assignmentsOf((await maker.member(['assignment:read'])).client).contacts(id)
    expect((await reader.create(ingrid)).status).toBe(403)
    expect((await reader.patch(contact.id, { name: 'Other' })).status).toBe(403)
    expect((await reader.remove(contact.id)).status).toBe(403)
    expect((await reader.list()).status).toBe(200)
    const writer = assignmentsOf((await maker.member(['assignment:manage'])).client).contacts(id)
    expect([(await writer.list()).status, (await writer.read(contact.id)).status]).toEqual([403, 403])
  })

  test('of an archived assignment is fixed: 409, until it is unarchived', async () => {
    const { id, contact } = await archived()
    for (const answer of [
      await made(id).create(ingrid),
      await made(id).patch(contact.id, { name: 'Other' }),
      await made(id).remove(contact.id),
    ]) {
      expect([answer.status, answer.text]).toEqual([
        409,
        expect.stringContaining('The assignment is ARCHIVED, not CURRENT.'),
      ])
    }
    expect((await made(id).list()).body.items).toEqual([contact])
    expect((await bought(id).patch(contact.id, { name: 'Other' })).status).toBe(404)
    await assignmentsOf(maker.administrator.client).act(id, 'unarchive')
    expect((await made(id).patch(contact.id, { name: 'Other' })).status).toBe(200)
  })

  test('number 51 of an organization is 409; another organization still has room', async () => {
    const id = await opened()
    await insertSubrecords(owner, { kind: 'contact', parentId: id, orgId: maker.orgId }, 50)
    const answer = await made(id).create(ingrid)
    expect([answer.status, answer.body.code]).toEqual([409, 'limit_reached'])
    expect((await bought(id).create(ingrid)).status).toBe(201)
  })

  test('is created once for an Idempotency-Key, and changed only where If-Match matches', async () => {
    const id = await opened()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, again] = [await made(id).create(ingrid, key), await made(id).create(ingrid, key)]
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await made(id).create({ ...ingrid, name: 'Ingrid' }, key)).status).toBe(409)
    const tag = (await made(id).read(first.body.id)).headers.get('etag') as string
    expect((await made(id).patch(first.body.id, { name: 'A' }, { 'if-match': '"other"' })).status).toBe(412)
    expect((await made(id).patch(first.body.id, { name: 'A' }, { 'if-match': tag })).status).toBe(200)
    expect((await made(id).patch(first.body.id, { name: 'B' }, { 'if-match': tag })).status).toBe(412)
  })

  test('has audit entries that name no person', async () => {
    const id = await opened()
    const { body: contact } = await made(id).create(ingrid)
    const key = { id, contactId: contact.id }
    expect(await lastEntry('assignment.contact.create')).toEqual(key)
    await made(id).patch(contact.id, { phone: null, name: 'Sales' })
    expect(await lastEntry('assignment.contact.patch')).toEqual({ ...key, fields: ['phone', 'name'] })
    await made(id).remove(contact.id)
    expect(await lastEntry('assignment.contact.delete')).toEqual(key)
  })
})
