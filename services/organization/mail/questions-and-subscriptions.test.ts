import { expect, test } from 'bun:test'
import { emitAny } from '../../kit/bus/outbox/emit.ts'
import { connect } from '../../kit/db/client.ts'
import { MAIL_ADDRESSES, marketplaceWithMail } from '../../testing/mail/market.ts'
import type { ReceivedMail } from '../../testing/mail/server.ts'
import { questionsOf, TO_ALL, TO_ASKER } from '../../testing/questions.ts'
import { publishedPart, rfqParties } from '../../testing/rfqs.ts'
import { subscriptionsOf } from '../../testing/subscriptions.ts'

const { market, server, confirmed, collected, release } = await marketplaceWithMail(['sourcing'])
const { consumer, ipOwner, maker, rival, buyer, open } = await rfqParties(market)
const both = { manufacturerIds: [maker.orgId, rival.orgId] }
const emitter = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-sourcing' })
market.db.beforeDrop(() => emitter.end({ timeout: 1 }))

const remove = (org: typeof maker, id: string) => org.administrator.client.send('DELETE', `${MAIL_ADDRESSES}/${id}`)
const mailTo = async (email: string, count = 1) => (await server.arrived(email, count)).at(-1) as ReceivedMail
const linksIn = ({ mail }: ReceivedMail) =>
  [...(mail.text ?? '').matchAll(/^https:\/\/market\.example\.com\/console\/(.*)$/gm)].map(([, path]) => path)

test('a question is news of the consumer, its answer of the asker, and an answer to all of every invitee', async () => {
  const [buying, owning] = [await confirmed(consumer), await confirmed(ipOwner)]
  const [asking, reading] = [await confirmed(maker), await confirmed(rival)]
  const rfqId = await open(both)
  const [asker, answerer] = [questionsOf(maker.administrator.client), questionsOf(consumer.administrator.client)]
  const [first, second] = [(await asker.ask(rfqId)).body.id, (await asker.ask(rfqId)).body.id]
  await answerer.answer(rfqId, first, TO_ASKER)
  expect(await collected(buying, 2)).toEqual(['questionAsked', 'questionAsked'])
  expect(await collected(asking, 2)).toEqual(['invited', 'questionAnswered'])
  expect(await collected(reading, 1)).toEqual(['invited'])
  await release()
  const { serialNumber } = (await buyer.read(rfqId)).body
  const told = await mailTo(buying.email)
  expect(told.mail.text).toContain(`A manufacturer has a question about RFQ ${serialNumber} (Impeller)`)
  expect(linksIn(told)).toEqual([`rfqs/${rfqId}`, `rfqs/${rfqId}`])
  await mailTo(asking.email)
  await mailTo(reading.email)

  await answerer.answer(rfqId, second, TO_ALL)
  await answerer.clarify(rfqId)
  expect(await collected(asking, 2)).toEqual(['questionAnswered', 'clarified'])
  expect(await collected(reading, 2)).toEqual(['questionAnswered', 'clarified'])
  expect(await collected(owning, 0)).toEqual([])
  await release()
  const answered = await mailTo(reading.email, 2)
  expect(answered.mail.subject).toBe(`A question about RFQ ${serialNumber} (Impeller) was answered, and 1 more`)
  expect(linksIn(answered)).toEqual([`rfqs/${rfqId}`, `rfqs/${rfqId}`])
  for (const text of [answered.raw, answered.mail.text]) {
    for (const secret of [maker.orgId, 'powder', TO_ALL.text]) expect(text).not.toContain(secret)
  }
  for (const [org, address] of [
    [consumer, buying],
    [ipOwner, owning],
    [maker, asking],
    [rival, reading],
  ] as const) {
    await remove(org, address.id)
  }
})

test('each step of a subscription is news of the organization that did not take it', async () => {
  const [owning, buying] = [await confirmed(ipOwner), await confirmed(consumer)]
  const [owner, subscriber] = [
    subscriptionsOf(ipOwner.administrator.client),
    subscriptionsOf(consumer.administrator.client),
  ]
  const request = async () =>
    (await subscriber.create({ partId: await publishedPart(ipOwner.administrator.client) })).body.id
  const [first, second] = [await request(), await request()]
  await owner.act(first, 'accept')
  await owner.act(second, 'decline', { reason: 'Only partners.' })
  await subscriber.remove(first)
  const granted = (await owner.create({ consumerOrgId: consumer.orgId })).body.id
  await market.db.owner`update sourcing.subscriptions set expires_at = now() where id = ${granted}`
  expect(await collected(owning, 4)).toEqual([
    'subscriptionRequested',
    'subscriptionRequested',
    'subscriptionEnded',
    'subscriptionExpired',
  ])
  expect(await collected(buying, 4)).toEqual([
    'subscriptionAccepted',
    'subscriptionDeclined',
    'subscriptionGranted',
    'subscriptionExpired',
  ])
  await release()
  const told = await mailTo(owning.email)
  expect(told.mail.text).toContain('Another organization requests a subscription to your parts')
  expect(linksIn(told)[0]).toBe('subscriptions?view=IP_OWNER')
  expect(linksIn(await mailTo(buying.email))).toEqual(Array.from({ length: 4 }, () => 'subscriptions'))
  await remove(ipOwner, owning.id)
  await remove(consumer, buying.id)
})

test('an IP owner whose parts no longer require a subscription is notified once', async () => {
  const owning = await confirmed(ipOwner)
  const { orgId } = ipOwner
  const type = 'sourcing.subscription.requirementsCleared'
  await emitter.begin((tx) =>
    emitAny(tx, { type, tenantId: orgId, subject: orgId, data: { ipOwnerOrgId: orgId, parts: 2 } }),
  )
  expect(await collected(owning, 1)).toEqual(['requirementsCleared'])
  await release()
  const { mail } = await mailTo(owning.email)
  expect(mail.subject).toBe(
    'Your parts no longer require a subscription: the setting had no effect until now. Set it again where you want it',
  )
  await remove(ipOwner, owning.id)
})
