import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { act, checkScreen, consoleStage, NARROW, send, stateOf, WIDE } from '../../testing/console.ts'
import { createFactory } from '../../testing/factories.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { offerBody, offersOf } from '../../testing/offers.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const stage = await consoleStage()

/** The entry of a kind in the inbox. */
const waitingFor = (page: Page, kind: string) =>
  page.getByRole('region', { name: 'Inbox' }).getByRole('listitem').filter({ hasText: kind })

test.each([
  ['wide', WIDE],
  ['narrow', NARROW],
])('in a %s window a buyer corrects an open RFQ, and a maker reconfirms its offer', async (_, options) => {
  const { market } = stage
  const [ipOwner, consumer, manufacturer] = await Promise.all([
    market.organization(['IP_OWNER']),
    market.organization(['CONSUMER'], { name: 'Nordhavn Shipping' }),
    market.organization(['MANUFACTURER'], { name: 'Vestland Additive' }),
  ])
  const owner = new FileClient(market, ipOwner.administrator.client)
  const partId = await publishedPart(owner.client, { title: 'Impeller, first revision' })
  await owner.addFile(partId, 'first drawing', 'document', 'impeller-a.pdf')
  const rfqs = rfqsOf(consumer.administrator.client)
  const { id } = (await rfqs.create(rfqBody(partId, { manufacturerIds: [manufacturer.orgId] }))).body
  await rfqs.act(id, 'publish')
  const { id: factoryId } = await createFactory(manufacturer.administrator.client)
  const offers = offersOf(manufacturer.administrator.client)
  const offer = await offers.create(offerBody(id, factoryId))
  await offers.act(offer.body.id, 'submit')
  await owner.client.send('PATCH', `/flows/v1/parts/${partId}`, {
    body: { title: 'Impeller, second revision', keywords: ['pump'] },
  })
  await owner.addFile(partId, 'second drawing', 'document', 'impeller-b.pdf')

  const [buyer, maker] = await Promise.all([
    stage.signIn(await consumer.member('Buyer'), options),
    stage.signIn(await manufacturer.member('Manufacturer'), options),
  ])
  await buyer.goto('/console')
  await checkScreen(buyer)
  await waitingFor(buyer, 'Changed part').getByRole('link').click()
  await buyer.getByText('The part has changed since this RFQ was published.').waitFor()
  await buyer.getByRole('link', { name: 'Impeller, first revision' }).waitFor()
  // What has changed, in fields and files.
  const changes = buyer.getByRole('region', { name: 'Changes of the part' })
  await changes.getByText('Files added: impeller-b.pdf').waitFor()
  expect(await changes.getByRole('listitem').allInnerTexts()).toEqual([
    'Title: Impeller, first revision → Impeller, second revision',
    'Keywords: – → pump',
    'Files added: impeller-b.pdf',
  ])
  await checkScreen(buyer)

  // The maker sees the published revision with its file, and nothing of the later one.
  await maker.goto(`/console/rfqs/${id}`)
  await maker.getByRole('link', { name: 'impeller-a.pdf' }).waitFor()
  await maker.getByRole('link', { name: 'Impeller, first revision' }).click()
  await maker.getByText('as an RFQ or an order uses it').waitFor()
  await checkScreen(maker)
  expect(await maker.getByText('Changes of the part').count()).toBe(0)

  await changes.getByRole('button', { name: 'Amend the RFQ' }).click()
  const dialog = buyer.getByRole('dialog')
  await dialog.getByLabel('Use the current revision of the part').check()
  await dialog.getByLabel('Material certificate').check()
  await checkScreen(buyer)
  await send(buyer, 'Amend', {
    Quantities: '20, 60',
    Recipient: 'Nordhavn Shipping, quay 4',
    'Street and building': 'Dokvej 12',
    City: 'Esbjerg',
    Reason: 'Two ships instead of one.',
  })
  await stateOf(buyer, 'Open')
  for (const text of ['20 · 60', 'Two ships instead of one.', 'Material certificate']) {
    await buyer.getByText(text).first().waitFor()
  }
  await buyer.getByText('Nordhavn Shipping, quay 4, Dokvej 12, Esbjerg, Denmark').waitFor()
  expect(await buyer.getByText('The part has changed').count()).toBe(0)
  await buyer.goto(`/console/rfqs/${id}/comparison`)
  await buyer.getByText('Outdated: not reconfirmed').waitFor()
  await checkScreen(buyer)

  await maker.goto('/console')
  await checkScreen(maker)
  const outdated = waitingFor(maker, 'Outdated offer')
  await outdated.getByRole('link').click()
  await maker.getByText('The RFQ was amended after this offer was submitted.').waitFor()
  await maker.getByText('Esbjerg, Denmark').waitFor()
  await maker.getByText('→ 20 · 60').waitFor()
  await maker.getByText('Confirmed for version 1; the RFQ has version 2').waitFor()
  expect(await maker.getByText('Dokvej').count()).toBe(0)
  await checkScreen(maker)
  // A revision begins with the quantities of the new version.
  await act(maker, 'Revise')
  await maker.getByText('The RFQ has changed from version 1 to 2 since your submitted offer.').waitFor()
  await maker.getByText('Two ships instead of one.').first().waitFor()
  const quantities = maker.getByLabel('From pieces')
  await quantities.nth(3).waitFor()
  const begun: string[] = []
  for (const field of await quantities.all()) begun.push(await field.inputValue())
  expect(begun).toEqual(['1', '10', '20', '60'])
  expect(await maker.getByLabel('Unit price, EUR').nth(2).inputValue()).toBe('')
  await checkScreen(maker)
  await act(maker, 'Confirm the offer unchanged')
  await maker.getByText('The RFQ was amended after this offer').waitFor({ state: 'detached' })
  await maker.getByText('Confirmed for version 2').waitFor()

  await maker.goto('/console')
  await maker.getByRole('region', { name: 'Inbox' }).waitFor()
  await outdated.waitFor({ state: 'detached' })
  await buyer.goto('/console')
  await waitingFor(buyer, 'Offers to compare').waitFor()
  expect(await waitingFor(buyer, 'Changed part').count()).toBe(0)

  await buyer.goto(`/console/rfqs/${id}/comparison`)
  await buyer.getByText('Vestland Additive').first().waitFor()
  expect(await buyer.getByText('Outdated: not reconfirmed').count()).toBe(0)
  await act(buyer, 'Award', { 'Vestland Additive': '20', 'Purchase order number': '4500118' }, async (summary) =>
    expect(summary).toContain('Purchase order number 4500118'),
  )
  await stateOf(buyer, 'Awarded')
  await buyer.getByRole('region', { name: 'Orders placed' }).getByRole('link').first().click()
  for (const text of ['4500118', 'Nordhavn Shipping, quay 4, Dokvej 12, Esbjerg, Denmark', 'revision 4']) {
    await buyer.getByText(text).first().waitFor()
  }
  await checkScreen(buyer)
})
