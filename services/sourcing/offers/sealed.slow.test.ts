import { expect, setDefaultTimeout, test } from 'bun:test'
import { captureLog } from '../../testing/captured-log.ts'
import type { ApiClient } from '../../testing/client.ts'
import { everyRead } from '../../testing/every-read.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { euros, offerParties, offersOf } from '../../testing/offers.ts'

setDefaultTimeout(120_000)
const log = captureLog()
const market = await testMarketplace({ LOG_LEVEL: 'debug' }, undefined, { logDestination: log.destination })
const { consumer, ipOwner, maker, rival, partId, buyer, open, factory, seller, draftOffer, submittedOffer } =
  await offerParties(market)

/** Figures that no other value of a test contains, and those that a comparison computes of them for 50 pieces. */
const FIGURES = {
  unitPrice: '73911.37',
  toolingCost: '58423.11',
  shippingCost: '31847.93',
  note: 'EUR 91753 in all',
  goodsTotal: '3695568.50',
  landedTotal: '3785839.54',
}
const terms = {
  priceBreaks: [{ minQuantity: 1, unitPrice: euros(FIGURES.unitPrice), leadTimeDays: 28 }],
  toolingCost: euros(FIGURES.toolingCost),
  shippingCost: euros(FIGURES.shippingCost),
  notes: `From 100 pieces on ${FIGURES.note}.`,
}
const figuresIn = (text: string) =>
  Object.entries(FIGURES).flatMap(([name, figure]) => (text.includes(figure) ? [name] : []))

const everyAnswer = async (client: ApiClient, ids: readonly string[]) =>
  (await everyRead(client, ids)).map(({ text, ...answer }) => ({ ...answer, figures: figuresIn(text) }))

/** The texts that other parts of the marketplace, operators and administrators read. */
async function otherOutputs(): Promise<string> {
  const outbox = await market.db.owner<{ line: string }[]>`select o::text as line from sourcing.outbox o`
  const audit = await market.db.owner<{ line: string }[]>`select a::text as line from organization.audit_log a`
  const histories = await market.db.owner<{ line: string }[]>`select h::text as line from sourcing.history h`
  expect([outbox.length > 20, audit.length > 10, histories.length > 2, log.texts.length > 20]).toEqual([
    true,
    true,
    true,
    true,
  ])
  return [...outbox, ...audit, ...histories]
    .map(({ line }) => line)
    .concat(log.texts)
    .join('\n')
}

test('until a sealed RFQ closes, no answer to its consumer and IP owner has a price; afterwards they have all', async () => {
  const rfqId = await open({ sealed: true, manufacturerIds: [maker.orgId, rival.orgId] })
  const offer = await submittedOffer(terms, rfqId)
  const [withdrawn, rejected, superseded] = [
    await submittedOffer(terms, rfqId),
    await submittedOffer(terms, rfqId),
    await submittedOffer(terms, rfqId),
  ]
  const draft = await draftOffer({}, rfqId)
  await seller.patch(draft, terms)
  await seller.act(withdrawn, 'withdraw', { reason: 'Machine broken.' })
  const { text } = await offersOf(consumer.administrator.client).act(rejected, 'reject', { reason: 'Too late.' })
  const { body: revision } = await seller.act(superseded, 'revise')
  await seller.act(revision.id, 'submit')
  await buyer.act(rfqId, 'extend', { expireTime: '2040-01-01T00:00:00Z' })
  expect(figuresIn(text)).toEqual([])
  // The manufacturer finds its own figures in the same way, so the search can find them.
  expect(figuresIn((await seller.read(offer)).text)).toEqual(['unitPrice', 'toolingCost', 'shippingCost', 'note'])

  const offers = [offer, withdrawn, rejected, superseded, revision.id, draft]
  const orgs = [consumer, ipOwner, maker].map(({ orgId }) => orgId)
  const ids = [rfqId, ...offers, partId, factory.id, ...orgs, consumer.administrator.userId]
  const readers = [consumer, ipOwner].map(({ administrator }) => administrator.client)
  for (const client of readers) {
    const answers = await everyAnswer(client, ids)
    expect(answers.filter(({ figures }) => figures.length > 0)).toEqual([])
    expect(answers.filter(({ status }) => status === 500)).toEqual([])
    const succeeded = new Set(answers.flatMap(({ operation, status }) => (status === 200 ? [operation] : [])))
    for (const operation of ['getOffer', 'listOffers', 'getOfferComparison', 'listRfqHistory', 'listAuditLog']) {
      expect(succeeded).toContain(operation)
    }
  }
  expect(figuresIn(await otherOutputs())).toEqual([])

  await buyer.act(rfqId, 'close')
  for (const client of readers) {
    const answers = await everyAnswer(client, ids)
    const seenIn = (id: string) =>
      new Set(answers.flatMap(({ operation, figures }) => (operation === id ? figures : [])))
    expect(seenIn('getOfferComparison')).toEqual(
      new Set(['unitPrice', 'toolingCost', 'shippingCost', 'note', 'goodsTotal', 'landedTotal']),
    )
    for (const id of ['getOffer', 'listOffers']) {
      expect(seenIn(id)).toEqual(new Set(['unitPrice', 'toolingCost', 'shippingCost', 'note']))
    }
    expect(
      [...new Set(answers.flatMap(({ operation, figures }) => (figures.length > 0 ? [operation] : [])))].sort(),
    ).toEqual(['exportOfferComparison', 'getOffer', 'getOfferComparison', 'listOffers'])
  }
  expect(figuresIn(await otherOutputs())).toEqual([])
})
