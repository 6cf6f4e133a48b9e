import { expect, test } from 'bun:test'
import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { caseEventsOf } from '../../testing/cases.ts'
import { confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { documentsOf } from '../../testing/documents.ts'
import { createFactory } from '../../testing/factories.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import type { Page } from '../../testing/people.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'
import { cleanUpRevisions } from './cleanup.ts'

/* What a pinned revision, an outline or a declined invitation must not betray of later changes. */

const market = await marketplaceWithWorkers(['sourcing', 'catalog'])
const { designer, buyer, owner, maker, rival, rfqs, open, openForOwner, act } = await confidentialParties(market)
const clientOf = ({ administrator }: TestOrganization) => administrator.client
const own = new FileClient(market, clientOf(designer))
const capabilities = [{ materialCode: 'in718', technologyId: 'ded-lb' }]
await createFactory(clientOf(maker), { name: 'Inconel shop', capabilities })

const patch = async (by: TestOrganization, partId: string, body: object) => {
  const { status, text } = await clientOf(by).send('PATCH', `/flows/v1/parts/${partId}`, { body })
  if (status !== 200) throw new Error(text)
}
async function openFor(partId: string, by = designer): Promise<string> {
  const requests = rfqsOf(clientOf(by))
  const { body } = await requests.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
  const { status, text } = await requests.act(body.id, 'publish')
  if (status !== 200) throw new Error(text)
  return body.id
}
const internalPart = (more: object) => publishedPart(clientOf(designer), { internal: true, ...more })
const amendToCurrent = (id: string) => rfqs.act(id, 'amend', { partRevision: 'CURRENT', reason: 'A new drawing.' })
const searched = async (by: TestOrganization, q: string) =>
  (await rfqsOf(clientOf(by)).list(`?view=MANUFACTURER&q=${q}`)).body.items.length
const refreshed = (title: string) =>
  until(async () => (await rfqs.list(`?view=CONSUMER&q=${title}`)).body.items.length > 0, { what: 'the new title' })

test('the factories for a part are those for the revision that an invitee reads', async () => {
  const partId = await internalPart({ materialId: '316l' })
  await openFor(partId)
  const names = async () => {
    const path = `/v1/factories?view=CONSUMER&partId=${partId}`
    const { status, body } = await clientOf(maker).get<Page<{ name: string }>>(path)
    return [status, body.items.map(({ name }) => name)]
  }
  const before = await names()
  await patch(designer, partId, { materialId: 'in718' })
  expect((await clientOf(maker).get<Part>(`/v1/parts/${partId}`)).body.materialId).toBe('316l')
  expect(await names()).toEqual(before)
})

test('the matches of an RFQ are those of the revision that its consumer reads', async () => {
  const partId = await publishedPart(clientOf(owner), { title: 'Rotor', materialId: '316l' })
  const id = await openFor(partId, buyer)
  await patch(owner, partId, { internal: true })
  const matches = async () => (await clientOf(buyer).get(`/flows/v1/rfqs/${id}/matches`)).text
  const before = await matches()
  await patch(owner, partId, { materialId: 'in718', criticalityIds: ['api-20s-amsl-2'] })
  expect(await matches()).toBe(before)
})

test('a new invitee and one that is invited again search by the pinned title, also with an outline alone', async () => {
  const partId = await internalPart({ title: 'Rotor' })
  const id = await openFor(partId)
  await patch(designer, partId, { title: 'Zyklotronkern' })
  await refreshed('Zyklotronkern')
  await rfqsOf(clientOf(maker)).act(id, 'decline')
  await rfqs.act(id, 'invite', { manufacturerIds: [rival.orgId, maker.orgId] })
  expect([await searched(rival, 'Zyklotronkern'), await searched(maker, 'Zyklotronkern')]).toEqual([0, 0])

  const outlined = await open({ manufacturerIds: [maker.orgId] })
  await patch(designer, (await rfqs.read(outlined)).body.partId, { title: 'Hafniumkern' })
  await refreshed('Hafniumkern')
  await rfqs.act(outlined, 'invite', { manufacturerIds: [rival.orgId] })
  expect(await searched(rival, 'Hafniumkern')).toBe(0)
})

test('a removed public file of a pinned revision is downloaded by a signed URL', async () => {
  const partId = await internalPart({})
  const file = await own.addFile(partId, 'public drawing', 'document', 'a.stl', true)
  await openFor(partId)
  await own.changeFiles(partId, { remove: [file.id] })
  const [listed] = await own.listFiles(partId, clientOf(maker))
  expect([listed?.id, listed?.public]).toEqual([file.id, false])
  expect((await own.download(listed as File)).status).toBe(200)
})

test('an amendment by a consumer that is not the IP owner releases no later file of the group ip', async () => {
  const rfq = await openForOwner()
  await termsOf(clientOf(maker)).accept(rfq.id)
  const files = new FileClient(market, clientOf(owner))
  expect((await termsOf(clientOf(owner)).release(rfq.id, maker.orgId)).status).toBe(200)
  await files.addFile(rfq.partId, 'later ip', 'ip', 'later-ip.stl')
  const names = async () => (await files.listFiles(rfq.partId, clientOf(maker))).map(({ name }) => name)
  await act(rfq.id, 'amend', { partRevision: 'CURRENT', reason: 'A new drawing.' })
  expect(await names()).not.toContain('later-ip.stl')
  expect((await termsOf(clientOf(owner)).release(rfq.id, maker.orgId)).status).toBe(200)
  expect(await names()).toContain('later-ip.stl')
})

test('a released file is readable in the amended revision that still lists it, and no longer once that one lists it no more', async () => {
  const rfq = await openForOwner()
  for (const org of [maker, rival]) await termsOf(clientOf(org)).accept(rfq.id)
  const files = new FileClient(market, clientOf(owner))
  const second = await files.addFile(rfq.partId, 'second ip', 'ip', 'second-ip.stl')
  await act(rfq.id, 'amend', { partRevision: 'CURRENT', reason: 'A second drawing.' })
  expect((await termsOf(clientOf(owner)).release(rfq.id, maker.orgId)).status).toBe(200)
  const released = (await rfqsOf(clientOf(maker)).read(rfq.id)).body.partRevision
  await files.addFile(rfq.partId, 'later ip', 'ip', 'later-ip.stl')

  /** The names by the part and by the pinned revision of the RFQ. */
  const namesFor = async (by: TestOrganization) => {
    const { partRevision } = (await rfqsOf(clientOf(by)).read(rfq.id)).body
    const path = `/flows/v1/parts/${rfq.partId}/revisions/${partRevision}/files`
    const pinned = (await clientOf(by).get<{ items: File[] }>(path)).body.items
    return [await files.listFiles(rfq.partId, clientOf(by)), pinned].map((each) => each.map(({ name }) => name))
  }
  const amended = ['second-ip.stl', 'ip.stl', 'document.stl']
  await act(rfq.id, 'amend', { partRevision: 'CURRENT', reason: 'A new drawing.' })
  expect(await namesFor(maker)).toEqual([amended, amended])
  expect(await namesFor(rival)).toEqual([['document.stl'], ['document.stl']])
  const [acceptance] = (await termsOf(clientOf(maker)).acceptances(rfq.id)).body.items
  expect(acceptance?.filesReleasedRevision).toBe(released as number)

  await files.changeFiles(rfq.partId, { remove: [second.id] })
  expect(await namesFor(maker)).toEqual([amended, amended])
  await act(rfq.id, 'amend', { partRevision: 'CURRENT', reason: 'Without the second drawing.' })
  const shortened = ['ip.stl', 'document.stl']
  expect(await namesFor(maker)).toEqual([shortened, shortened])
  expect((await termsOf(clientOf(owner)).withdraw(rfq.id, maker.orgId)).status).toBe(200)
  expect(await namesFor(maker)).toEqual([['document.stl'], ['document.stl']])
})

test('an outline does not tell of an amendment of what it does not show', async () => {
  const id = await open()
  await rfqsOf(clientOf(maker)).read(id)
  const before = await rfqsOf(clientOf(maker)).read(id)
  expect((await rfqs.act(id, 'amend', { requirements: 'More secret.', reason: 'x' })).status).toBe(200)
  expect((await rfqsOf(clientOf(maker)).read(id)).text).toBe(before.text)
})

test('a maker that declined reads no later content, document or history, but the state', async () => {
  const id = await open()
  await termsOf(clientOf(maker)).accept(id)
  await rfqsOf(clientOf(maker)).act(id, 'decline')
  const { id: uploadId } = await documentsOf(market, clientOf(designer)).upload('secret drawing', 'later.dwg')
  const files = { add: [{ uploadId, kind: 'DRAWING' }] }
  const body = { requirements: 'Later secret.', files, reason: 'Later reason.' }
  // The amendment is in no event for it, so in no mail either.
  const events = await caseEventsOf(market, async () => {
    expect((await rfqs.act(id, 'amend', body)).status).toBe(200)
  })
  expect(events.map(({ tenantId }) => tenantId)).toEqual([designer.orgId])
  await rfqs.act(id, 'close')
  const read = await rfqsOf(clientOf(maker)).read(id)
  const history = await clientOf(maker).get(`/v1/rfqs/${id}/history`)
  for (const later of ['Later', 'later.dwg']) expect(read.text + history.text).not.toContain(later)
  expect([read.body.state, read.body.version]).toEqual(['CLOSED', 1])
  expect(await documentsOf(market, clientOf(maker)).names('rfqs', id)).toBe(404)
})

test('mails to a maker that declined name the part as it was', async () => {
  const partId = await internalPart({ title: 'Rotor' })
  const id = await openFor(partId)
  await rfqsOf(clientOf(maker)).act(id, 'decline')
  await patch(designer, partId, { title: 'Osmiumkern' })
  expect((await amendToCurrent(id)).status).toBe(200)
  const rows = await market.db.owner<{ title: string }[]>`
    select title from sourcing.rfq_readers where rfq_id = ${id} and org_id = ${maker.orgId}`
  expect(rows.map(({ title }) => title)).toEqual(['Rotor'])
})

test('the acceptance of the terms does not show when a rival was invited', async () => {
  const id = await open({ manufacturerIds: [maker.orgId] })
  const updated = async () => (await rfqsOf(clientOf(maker)).read(id)).body.updatedTime
  const before = await updated()
  await rfqs.act(id, 'invite', { manufacturerIds: [rival.orgId] })
  expect((await rfqs.read(id)).body.updatedTime).not.toBe(before)
  await termsOf(clientOf(maker)).accept(id)
  expect(await updated()).toBe(before)
})

test('a revision whose files are released is kept until the release ends, even once no RFQ pins it', async () => {
  const rfq = await openForOwner()
  await termsOf(clientOf(maker)).accept(rfq.id)
  expect((await termsOf(clientOf(owner)).release(rfq.id, maker.orgId)).status).toBe(200)
  await patch(owner, rfq.partId, { title: 'Rotor' })
  await act(rfq.id, 'amend', { partRevision: 'CURRENT', reason: 'A new title.' })
  const kept = async () => {
    const now = new Date(Date.now() + 400 * 86_400_000).toISOString()
    await cleanUpRevisions(market.db.owner, { orderDays: 2557, now }, new AbortController().signal)
    await market.db.owner`update sourcing.part_revisions set due_at = now()`
    return (await market.db.owner`select from sourcing.part_revisions where part_id = ${rfq.partId}`).length
  }
  expect(await kept()).toBe(2)
  expect((await termsOf(clientOf(owner)).withdraw(rfq.id, maker.orgId)).status).toBe(200)
  expect(await kept()).toBe(1)
})
