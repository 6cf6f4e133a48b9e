import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { checkScreen, consoleStage, NARROW, press, stateOf, WIDE } from '../../testing/console.ts'
import { documentsOf } from '../../testing/documents.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { freePort } from '../../testing/free-port.ts'
import { offerParties } from '../../testing/offers.ts'
import { insertAssignedOrder } from '../../testing/orders.ts'

// Uploads have the address of PUBLIC_URL, and the pages are opened by another name of the same computer.
const port = freePort()
const stage = await consoleStage({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` })
const { market } = stage
const { consumer, ipOwner, maker, partId, factory, draft, draftOffer, buyer, open, seller } = await offerParties(market)

const pdf = (name: string) => ({
  name,
  mimeType: 'application/pdf',
  buffer: Buffer.from(`%PDF-1.7\n%${name}\n`.padEnd(3000)),
})
const panel = (page: Page) => page.getByRole('region', { name: 'Documents', exact: true }).first()
const itemOf = (page: Page, text: string) => panel(page).getByRole('listitem').filter({ hasText: text })

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

async function add(page: Page, names: readonly string[], kind: string): Promise<void> {
  await panel(page).getByRole('button', { name: 'Add documents' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Files').setInputFiles(names.map(pdf))
  for (const name of names) await dialog.getByLabel(`Kind of ${name}`).selectOption({ label: kind })
  await dialog.getByRole('button', { name: 'Add documents' }).click()
  await dialog.waitFor({ state: 'detached' })
  for (const name of names) await panel(page).getByRole('link', { name }).waitFor()
}

const order = () =>
  insertAssignedOrder(market.db.owner, {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: maker.orgId,
    partId,
    factoryId: factory.id,
    state: 'INSPECTION',
  })

test('a manufacturer adds several documents to an order at once, removes one, ships it, and replaces one', async () => {
  const id = await order()
  const page = await stage.signIn(await maker.member('Manufacturer'))
  const dialog = page.getByRole('dialog')
  await page.goto(`/console/orders/${id}`)
  await panel(page).getByText('No documents yet.').waitFor()
  await panel(page).getByRole('button', { name: 'Add documents' }).click()
  await dialog.getByRole('button', { name: 'Add documents' }).click()
  await dialog.getByLabel('Files').and(page.locator('[aria-invalid=true]')).waitFor()
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await add(page, ['steel.pdf', 'powder.pdf'], 'Material certificate')
  await add(page, ['list.pdf'], 'Packing list')
  const { displayName } = await nameOf(maker.orgId)
  const text = (await itemOf(page, 'steel.pdf').innerText()).replaceAll(/\s+/g, ' ')
  expect(text).toContain(`Material certificate · 3 kB · ${displayName} · `)
  await checkWidths(page)
  await itemOf(page, 'powder.pdf').getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await itemOf(page, 'powder.pdf').waitFor({ state: 'detached' })

  // A certificate that was not sent yet belongs to the new shipment, unless one says otherwise.
  await page.getByRole('button', { name: 'Ship', exact: true }).click()
  const choices = dialog.getByRole('group', { name: 'Documents of this shipment' })
  const isChosen = (name: string) => choices.getByRole('checkbox', { name }).isChecked()
  expect([await isChosen('steel.pdf'), await isChosen('list.pdf')]).toEqual([true, false])
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click()
  await stateOf(page, 'Shipped')
  const shipments = page.getByRole('region', { name: 'Shipments' })
  const sent = shipments.getByRole('list', { name: 'Documents of this shipment' })
  await sent.getByRole('link', { name: 'steel.pdf' }).waitFor()
  await itemOf(page, 'steel.pdf').getByText('Shipment of').waitFor()
  expect(await itemOf(page, 'list.pdf').getByText('Shipment of').count()).toBe(0)
  await checkWidths(page)
  const [printed] = await Promise.all([
    page.waitForEvent('download'),
    shipments.getByRole('button', { name: 'Packing list' }).click(),
  ])
  expect(printed.suggestedFilename()).toMatch(/^O-\w{8} packing list of .+\.pdf$/)
  await panel(page).getByRole('button', { name: 'Remove' }).first().waitFor({ state: 'detached' })
  await itemOf(page, 'steel.pdf').getByRole('button', { name: 'Replace' }).click()
  await dialog.getByLabel('File').setInputFiles(pdf('newer.pdf'))
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await itemOf(page, 'steel.pdf').getByText('replaced by newer.pdf').waitFor()
  // What replaces a document of a shipment belongs to the same one.
  await sent.getByRole('link', { name: 'newer.pdf' }).waitFor()
  expect(await sent.getByRole('link').count()).toBe(1)
  await panel(page).getByRole('button', { name: 'Add documents' }).click()
  await dialog.getByLabel('Files').setInputFiles(pdf('report.pdf'))
  await dialog.getByLabel('Belongs to').selectOption({ index: 1 })
  await dialog.getByRole('button', { name: 'Add documents' }).click()
  await sent.getByRole('link', { name: 'report.pdf' }).waitFor()
  expect(await documentsOf(market, maker.administrator.client).names('orders', id)).toEqual([
    'report.pdf',
    'newer.pdf',
    'list.pdf',
    'steel.pdf',
  ])

  // The consumer reads them; only the organization that added a document may replace it.
  const consumers = await stage.signIn(await consumer.member('Buyer'))
  await consumers.goto(`/console/orders/${id}`)
  await panel(consumers).getByRole('link', { name: 'newer.pdf' }).waitFor()
  const [download] = await Promise.all([
    consumers.waitForEvent('download'),
    panel(consumers).getByRole('link', { name: 'newer.pdf' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('newer.pdf')
  // The documents of the manufacturer are not the consumer's to remove or replace.
  expect(await panel(consumers).getByRole('button').allInnerTexts()).toEqual(['Add documents'])
  await consumers
    .getByRole('region', { name: 'Shipments' })
    .getByRole('list', { name: 'Documents of this shipment' })
    .getByRole('link', { name: 'newer.pdf' })
    .waitFor()
  await Promise.all([page, consumers].map((each) => each.context().close()))
}, 90_000)

test('a missing document that the RFQ requires is named where the order is shipped', async () => {
  const id = await order()
  await market.db.owner`
    insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state,
      terms, manufacturer_ids, expires_at, created_at, updated_at, published_at)
    select rfq_id, 'R-' || right(rfq_id, 8), part_id, 'P-00000000', consumer_org_id, ip_owner_org_id, 'AWARDED',
      '{"requiredDocuments":["CERTIFICATE_OF_CONFORMITY"],"deliveryRegionCode":"DK","quantities":[10]}', '{}', now(), now(), now(), now()
    from sourcing.orders where id = ${id}`
  const page = await stage.signIn(await maker.member('Manufacturer'))
  await market.db.owner`
    insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at)
    select rfq_id, manufacturer_org_id, now() from sourcing.orders where id = ${id}`
  await page.goto(`/console/orders/${id}`)
  await panel(page).getByText('Certificate of conformity: missing').waitFor()
  await checkWidths(page)
  await page.getByRole('button', { name: 'Ship', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Missing documents: Certificate of conformity').waitFor()
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click()
  await dialog.getByText('Missing or not ready yet: Certificate of conformity').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  // What another person adds meanwhile does not close the dialog.
  await panel(page).getByRole('button', { name: 'Add documents' }).click()
  await dialog.getByLabel('Files').setInputFiles([pdf('report.pdf')])
  const making = maker.administrator.client
  const { buffer } = pdf('conformity.pdf')
  const { id: uploadId } = await new FileClient(market, making).uploadBytes(buffer, 'conformity.pdf')
  const kind = 'CERTIFICATE_OF_CONFORMITY'
  await documentsOf(market, making).change('orders', id, { add: [{ uploadId, kind }] })
  await panel(page).getByText('Certificate of conformity: attached').waitFor()
  await dialog.getByLabel('Kind of report.pdf').waitFor()
  await dialog.getByRole('button', { name: 'Add documents' }).click()
  await panel(page).getByRole('link', { name: 'report.pdf' }).waitFor()
  // The consumer also sees which are there.
  const consumers = await stage.signIn(await consumer.member('Buyer'))
  await consumers.goto(`/console/orders/${id}`)
  await panel(consumers).getByText('Certificate of conformity: attached').waitFor()
  await checkWidths(consumers)
  await Promise.all([page, consumers].map((each) => each.context().close()))
}, 60_000)

test('a consumer adds documents to a draft RFQ; they are fixed with the publication', async () => {
  const id = await draft()
  const page = await stage.signIn(await consumer.member(['rfq:create', 'rfq:publish', 'file:write']))
  await page.goto(`/console/rfqs/${id}`)
  await add(page, ['drawing.pdf'], 'Drawing')
  await checkWidths(page)
  await buyer.act(id, 'publish')
  await page.reload()
  await stateOf(page, 'Open')
  await panel(page).getByRole('link', { name: 'drawing.pdf' }).waitFor()
  expect(await panel(page).getByRole('button').count()).toBe(0)
  await page.context().close()
}, 60_000)

test('an amendment adds documents, each of its kind', async () => {
  const id = await open()
  const page = await stage.signIn(await consumer.member(['rfq:create', 'rfq:publish', 'file:write']))
  await page.goto(`/console/rfqs/${id}`)
  await press(page, 'Amend')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Files').setInputFiles([pdf('hub.pdf'), pdf('photo.pdf')])
  await dialog.getByLabel('Kind of photo.pdf').selectOption({ label: 'Photo' })
  await dialog.getByLabel('Reason').fill('The hub was moved.')
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Amend' }).click()
  await dialog.waitFor({ state: 'detached' })
  await itemOf(page, 'hub.pdf').getByText('Drawing · ').waitFor()
  await itemOf(page, 'photo.pdf').getByText('Photo · ').waitFor()
  await page.context().close()
}, 60_000)

test('a manufacturer adds documents to its draft offer, which the consumer reads in the comparison', async () => {
  const rfqId = await open()
  const id = await draftOffer({}, rfqId)
  const page = await stage.signIn(await maker.member('Manufacturer'))
  await page.goto(`/console/rfqs/${rfqId}/offer`)
  await add(page, ['quote.pdf'], 'Quote')
  await checkWidths(page)
  await seller.act(id, 'submit')
  const consumers = await stage.signIn(await consumer.member('Buyer'))
  await consumers.goto(`/console/rfqs/${rfqId}/comparison`)
  await consumers.getByRole('link', { name: 'quote.pdf' }).waitFor()
  await checkWidths(consumers)
  await Promise.all([page, consumers].map((each) => each.context().close()))
}, 60_000)

test('a person without the right to submit saves drafts, and begins no RFQ', async () => {
  const rfqId = await open()
  const page = await stage.signIn(await maker.member(['app:manufacturer', 'offer:create']))
  await page.goto('/console/rfqs')
  await page.getByRole('row').nth(1).waitFor()
  expect(await page.getByRole('link', { name: 'New RFQ' }).count()).toBe(0)
  await page.goto(`/console/rfqs/${rfqId}/offer`)
  await page.getByRole('button', { name: 'Save draft' }).waitFor()
  expect(await page.getByRole('button', { name: 'Submit' }).count()).toBe(0)
  await checkWidths(page)
  await page.context().close()
}, 60_000)

test('the order says that confidential files are not released, to the manufacturer and to the IP owner, who releases them', async () => {
  await new FileClient(market, ipOwner.administrator.client).addFile(partId, 'secret', 'ip', 'secret.pdf')
  const placed = await insertAssignedOrder(market.db.owner, {
    consumerOrgId: consumer.orgId,
    ipOwnerOrgId: ipOwner.orgId,
    manufacturerOrgId: maker.orgId,
    sellerOrgId: maker.orgId,
    partId,
    factoryId: factory.id,
    state: 'PLACED',
  })
  const page = await stage.signIn(await maker.member('Manufacturer'))
  await page.goto(`/console/orders/${placed}`)
  await page.getByText('None released. If the part has confidential files, its IP owner releases them').waitFor()
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByRole('dialog').getByText('The release of confidential files for quoting ends with it').waitFor()
  await checkWidths(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await stateOf(page, 'Confirmed')
  const consumers = await stage.signIn(await consumer.member('Buyer'))
  await consumers.goto(`/console/orders/${placed}`)
  await stateOf(consumers, 'Confirmed')
  expect(await consumers.getByText('Not released yet').count()).toBe(0)
  const owners = await stage.signIn(await ipOwner.member('IP owner'))
  await owners.goto(`/console/orders/${placed}`)
  await owners.getByText('The manufacturer cannot read them for production until you release them.').waitFor()
  await checkWidths(owners)
  await owners.getByRole('button', { name: 'Release files' }).click()
  await owners.getByRole('dialog').getByRole('button', { name: 'Release files' }).click()
  await owners.getByText('Not released yet').waitFor({ state: 'detached' })
  await Promise.all([page, consumers, owners].map((each) => each.context().close()))
}, 90_000)

test('a party adds a document to an open case', async () => {
  const { body } = await maker.administrator.client.post<{ id: string }>('/flows/v1/cases', {
    kind: 'QUALITY',
    title: 'Porosity',
    orderId: await order(),
  })
  const page = await stage.signIn(await maker.member('Manufacturer'))
  await page.goto(`/console/cases/${body.id}`)
  await add(page, ['scan.pdf'], 'Inspection report')
  await checkWidths(page)
  await maker.administrator.client.post(`/flows/v1/cases/${body.id}/close`)
  await page.reload()
  await stateOf(page, 'Closed')
  await panel(page).getByRole('link', { name: 'scan.pdf' }).waitFor()
  expect(await panel(page).getByRole('button').count()).toBe(0)
  await page.context().close()
}, 60_000)

async function nameOf(orgId: string) {
  const [row] = await market.db.owner<
    { name: string }[]
  >`select name from organization.organizations where id = ${orgId}`
  return { displayName: row?.name ?? '' }
}
