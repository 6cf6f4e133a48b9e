import { expect, setDefaultTimeout, test } from 'bun:test'
import { confidentialParties, termsOf } from '../../testing/confidentiality.ts'
import { marketplaceOf, RACING, type TestOrganization } from '../../testing/marketplace.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

setDefaultTimeout(120_000)
const market = await marketplaceOf(['sourcing', 'catalog'], RACING)
const { designer, maker, rival, rfqs, open, groupsFor } = await confidentialParties(market)
const ROUNDS = 20

const by = ({ administrator }: TestOrganization) => termsOf(administrator.client)
const hasRelease = async (id: string, { orgId }: TestOrganization) =>
  (await by(designer).acceptances(id)).body.items.some(
    (one) => one.manufacturerOrgId === orgId && one.filesReleasedTime !== undefined,
  )
const causesOf = async (id: string) => {
  const rows = await market.db.owner<{ type: string }[]>`
    select type from sourcing.outbox where subject = ${id} and type ~ 'files|terms' order by seq`
  return rows.map(({ type }) => type.replace('sourcing.rfq.', ''))
}

test('of an acceptance and a release at the same time the release counts only after the acceptance', async () => {
  const seen = new Set<number>()
  for (let round = 0; round < ROUNDS; round++) {
    const id = await open({ manufacturerIds: [maker.orgId] })
    const [accepted, released] = await Promise.all([by(maker).accept(id), by(designer).release(id, maker.orgId)])
    seen.add(released.status)
    expect([accepted.status, [200, 409].includes(released.status)]).toEqual([200, true])
    const isOut = released.status === 200
    expect(await hasRelease(id, maker)).toBe(isOut)
    expect(await causesOf(id)).toEqual(isOut ? ['termsAccepted', 'filesReleased'] : ['termsAccepted'])
    await rfqs.act(id, 'cancel', { reason: 'x' })
  }
  expect(seen.has(409) || seen.has(200)).toBe(true)
})

test('of a decline and a release at the same time no release remains', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await open({ manufacturerIds: [maker.orgId] })
    await by(maker).accept(id)
    const [declined, released] = await Promise.all([
      rfqsOf(maker.administrator.client).act(id, 'decline'),
      by(designer).release(id, maker.orgId),
    ])
    expect([declined.status, [200, 409].includes(released.status)]).toEqual([200, true])
    expect([await hasRelease(id, maker), await groupsFor(maker)]).toEqual([false, 404])
    await rfqs.act(id, 'cancel', { reason: 'x' })
  }
})

test('of a withdrawal and an acceptance at the same time the files are shown only before the withdrawal', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await open({ releaseFiles: true, manufacturerIds: [maker.orgId] })
    const [accepted, withdrawn] = await Promise.all([by(maker).accept(id), by(designer).withdraw(id)])
    expect([accepted.status, withdrawn.status]).toEqual([200, 200])
    expect([await hasRelease(id, maker), await groupsFor(maker)]).toEqual([false, ['document']])
    expect([['termsAccepted'], ['termsAccepted', 'filesReleased', 'filesWithdrawn']]).toContainEqual(await causesOf(id))
    await rfqs.act(id, 'cancel', { reason: 'x' })
  }
})

test('after a cancellation has answered no read shows the files', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await open({ manufacturerIds: [rival.orgId] })
    await by(rival).accept(id)
    await by(designer).release(id, rival.orgId)
    let isCancelled = false
    const reads = Array.from({ length: 6 }, async () => {
      const began = isCancelled
      const groups = await groupsFor(rival)
      return !began || groups === 404
    })
    const cancelled = rfqs.act(id, 'cancel', { reason: 'Sold.' }).then(({ status }) => {
      isCancelled = true
      return status
    })
    expect(await cancelled).toBe(200)
    expect(await groupsFor(rival)).toBe(404)
    expect(await Promise.all(reads)).toEqual(reads.map(() => true))
  }
})
