import { expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import { offerParties } from '../../testing/offers.ts'
import { publishedPart, rfqBody } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'
import { cleanUpRevisions } from '../revisions/cleanup.ts'

const market = await marketplaceWithWorkers(['sourcing'], RACING)
const { consumer, ipOwner, maker, buyer, open, draftOffer, submittedOffer, seller } = await offerParties(market)
const own = new FileClient(market, ipOwner.administrator.client)
const awards = awardsOf(consumer.administrator.client)
const ROUNDS = 12

const amend = (id: string) => buyer.act(id, 'amend', { quantities: [20], reason: 'More are needed.' })

/** The version of the offer and of its RFQ, and whether the offer counts as outdated. */
async function versionsOf(offerId: string) {
  const [row] = await market.db.owner<{ offer: number; rfq: number; outdated: boolean; state: string }[]>`
    select offer.rfq_version as offer, rfq.version as rfq, offer.outdated, rfq.state
    from sourcing.offers offer join sourcing.rfqs rfq on rfq.id = offer.rfq_id where offer.id = ${offerId}`
  if (!row) throw new Error('no such offer')
  return row
}

test('amend against submit: an offer is outdated exactly if it was submitted for the former version', async () => {
  const seen = new Set<number>()
  for (let round = 0; round < ROUNDS; round++) {
    const id = await open()
    const offer = await draftOffer({}, id)
    const [amended, submitted] = await Promise.all([amend(id), seller.act(offer, 'submit')])
    expect([amended.status, submitted.status]).toEqual([200, 200])
    const { offer: version, rfq, outdated } = await versionsOf(offer)
    expect([rfq, outdated]).toEqual([2, version === 1])
    seen.add(version)
  }
  expect([...seen].every((version) => version === 1 || version === 2)).toBe(true)
})

test('amend against reconfirm: an offer is outdated exactly if it was reconfirmed for the former version', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await open()
    const offer = await submittedOffer({}, id)
    await amend(id)
    const again = buyer.act(id, 'amend', { quantities: [30], reason: 'Still more.' })
    const [amended, reconfirmed] = await Promise.all([again, seller.act(offer, 'reconfirm')])
    expect([amended.status, reconfirmed.status]).toEqual([200, 200])
    const { offer: version, rfq, outdated } = await versionsOf(offer)
    expect([rfq, outdated]).toEqual([3, version === 2])
  }
})

test('amend against award: an outdated offer is never awarded, and an awarded RFQ never amended', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await open()
    const offer = await submittedOffer({}, id)
    const award = awards.award(id, { awards: [{ offerId: offer, quantity: 10 }] })
    const [amended, awarded] = await Promise.all([amend(id), award])
    expect([amended.status, awarded.status].toSorted()).toEqual([200, 409])
    const { rfq, outdated, state } = await versionsOf(offer)
    expect([rfq, outdated, state]).toEqual(awarded.status === 200 ? [1, false, 'AWARDED'] : [2, true, 'OPEN'])
  }
})

test('the removal of a file against a publication: a file that the pinned revision lists is kept', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const partId = await publishedPart(own.client)
    const file = await own.addFile(partId, 'drawing')
    const { body } = await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
    const [published, removed] = await Promise.all([
      buyer.act(body.id, 'publish'),
      own.changeFiles(partId, { remove: [file.id] }),
    ])
    expect([published.status, removed.status]).toEqual([200, 204])
    const [row] = await market.db.owner<{ listed: boolean; kept: boolean; revision: number; current: number }[]>`
      select ${file.id} = any(pinned.file_ids) as listed, pinned.revision, part.revision as current,
        exists (select from sourcing.files where id = ${file.id}) as kept
      from sourcing.rfqs rfq
      join sourcing.part_revisions pinned on pinned.part_id = rfq.part_id and pinned.revision = rfq.part_revision
      join sourcing.parts part on part.id = rfq.part_id
      where rfq.id = ${body.id}`
    expect([row?.kept, row?.listed]).toEqual([row?.listed, (row?.revision ?? 0) < (row?.current ?? 0)])
  }
})

test('a change of the part against a publication: the pinned content is that of the pinned revision', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const partId = await publishedPart(own.client, { title: 'First' })
    const { body } = await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
    const change = own.client.send('PATCH', `/flows/v1/parts/${partId}`, { body: { title: 'Second' } })
    const [published, changed] = await Promise.all([buyer.act(body.id, 'publish'), change])
    expect([published.status, changed.status]).toEqual([200, 200])
    const number = (await buyer.read(body.id)).body.partRevision as number
    const path = `/flows/v1/parts/${partId}/revisions/${number}`
    const { title } = (await maker.administrator.client.get<{ title: string }>(path)).body
    expect([number, title]).toEqual(number === 1 ? [1, 'First'] : [2, 'Second'])
  }
})

test('the clean-up against a publication: a revision that is being pinned is kept', async () => {
  const { owner } = market.db
  const partId = await publishedPart(own.client)
  const draft = async () => (await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))).body.id
  const [ended, next] = [await draft(), await draft()]
  await buyer.act(ended, 'publish')
  await buyer.act(ended, 'cancel', { reason: 'Sold.' })
  await owner`update sourcing.rfqs set state_since = now() - interval '100 days' where id = ${ended}`
  await owner`update sourcing.part_revisions set due_at = now() - interval '1 day' where part_id = ${partId}`
  const publication = await owner.begin(async (tx) => {
    // The publication has pinned the revision, and waits for the invitations.
    await tx`lock table sourcing.rfq_invitations in share mode`
    const published = buyer.act(next, 'publish')
    const waiting = () => owner`
      select from pg_locks where not granted and relation = 'sourcing.rfq_invitations'::regclass`
    await until(async () => (await waiting()).length > 0, { what: 'the publication' })
    const now = new Date().toISOString()
    await cleanUpRevisions(owner, { orderDays: 2557, now }, new AbortController().signal)
    return [published]
  })
  expect((await publication[0])?.status).toBe(200)
  const path = `/flows/v1/parts/${partId}/revisions/1`
  expect((await maker.administrator.client.get(path)).status).toBe(200)
})
