import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { termsOf } from '../../testing/confidentiality.ts'
import { act, checkScreen, consoleStage, NARROW, stateOf, WIDE } from '../../testing/console.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { freePort } from '../../testing/free-port.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { subscriptionsOf } from '../../testing/subscriptions.ts'

// Uploads have the address of PUBLIC_URL, and the pages are opened by another name of the same computer.
const port = freePort()
const stage = await consoleStage({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` })
const designer = await stage.market.organization(['CONSUMER', 'IP_OWNER'])
const maker = await stage.market.organization(['MANUFACTURER'])
const { client } = designer.administrator
const partId = await publishedPart(client, { title: 'Secret impeller', internal: true })
await new FileClient(stage.market, client).addFile(partId, '%PDF-1.7', 'ip', 'drawing.pdf')
const TERMS = 'Do not pass the drawing on.'

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

test('a maker accepts the terms and sees the drawing, until the owner withdraws it', async () => {
  const buying = await stage.signIn(designer.administrator)
  await buying.goto(`/console/rfqs/new?part=${partId}`)
  await buying.getByLabel('Quantities').fill('10')
  await buying.getByLabel('Delivery to').selectOption({ label: 'Denmark' })
  await buying.getByLabel('Confidentiality terms').fill(TERMS)
  await checkWidths(buying)
  await buying.getByRole('button', { name: 'Save draft' }).click()
  await stateOf(buying, 'Draft')
  const id = new URL(buying.url()).pathname.split('/').at(-1) ?? ''
  expect((await rfqsOf(client).act(id, 'invite', { manufacturerIds: [maker.orgId] })).status).toBe(200)
  await buying.reload()
  await act(buying, 'Publish')
  await stateOf(buying, 'Open')
  await buying.getByText('No manufacturer has accepted the terms yet.').waitFor()

  const making = await stage.signIn(maker.administrator)
  // Mails lead to the page of the offer, which begins with the terms.
  await making.goto(`/console/rfqs/${id}/offer`)
  await making.getByText('it sees only an outline of this RFQ').waitFor()
  expect(await making.getByRole('button', { name: 'Submit offer' }).count()).toBe(0)
  expect(await making.getByRole('button', { name: 'Ask a question' }).count()).toBe(0)
  await making.getByRole('definition').getByText('Metal', { exact: true }).waitFor()
  await checkWidths(making)
  await making.goto(`/console/rfqs/${id}`)
  await making.getByText('it sees only an outline of this RFQ').waitFor()
  await act(making, 'Accept the terms')
  await making.getByText('it sees only an outline of this RFQ').waitFor({ state: 'detached' })
  expect(await making.getByRole('link', { name: 'drawing.pdf' }).count()).toBe(0)
  await checkWidths(making)
  // Questions are also beside the offer.
  await making.goto(`/console/rfqs/${id}/offer`)
  await making.getByRole('button', { name: 'Ask a question' }).waitFor()
  await checkWidths(making)
  await making.goto(`/console/rfqs/${id}`)

  await buying.reload()
  const acceptances = buying.getByRole('region', { name: 'Acceptances of the terms' })
  await acceptances.getByText('fingerprint of the text').waitFor()
  await act(buying, 'Release files')
  await acceptances.getByRole('button', { name: 'Withdraw files' }).waitFor()
  await checkWidths(buying)
  await making.reload()
  await making.getByRole('link', { name: 'drawing.pdf' }).waitFor()
  await making.getByText('Confidential files released').waitFor()
  await act(buying, 'Withdraw files')
  await acceptances.getByRole('button', { name: 'Release files' }).waitFor()
  expect(await acceptances.getByRole('button', { name: 'Withdraw from all' }).count()).toBe(0)
  await making.reload()
  await making.getByRole('region', { name: 'Confidentiality terms' }).getByText(TERMS).first().waitFor()
  await making.locator('.loading').first().waitFor({ state: 'detached' })
  expect(await making.getByRole('link', { name: 'drawing.pdf' }).count()).toBe(0)
  await making.goto(`/console/rfqs/${id}/offer`)
  await making
    .getByText('Your organization has none yet')
    .or(making.getByText(/needs an active factory|Submit offer/))
    .first()
    .waitFor()
  await buying.context().close()
  await making.context().close()
}, 60_000)

test('the form keeps terms and release of a draft, and a publication without an internal part names the field', async () => {
  const open = await publishedPart(client, { title: 'Public impeller' })
  const content = { manufacturerIds: [maker.orgId], confidentialityTerms: TERMS, releaseFiles: true }
  const { body } = await rfqsOf(client).create(rfqBody(open, content))
  const page = await stage.signIn(designer.administrator)
  await page.goto(`/console/rfqs/${body.id}`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Confidentiality terms').inputValue()).toBe(TERMS)
  expect(await dialog.getByLabel(/Release confidential files/).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await dialog.getByText('Confidentiality terms: Needs a part that only subscribers').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await act(page, 'Edit', { 'Confidentiality terms': '' })
  const saved = (await rfqsOf(client).read(body.id)).body
  expect([saved.confidentialityTerms, saved.releaseFiles]).toEqual([undefined, true])
  await page.context().close()
}, 60_000)

test('after an amendment the owner sees for which revision files are released, and releases the new ones', async () => {
  const [owner, buyer] = await Promise.all([
    stage.market.organization(['IP_OWNER']),
    stage.market.organization(['CONSUMER']),
  ])
  const owned = await publishedPart(owner.administrator.client, { title: 'Rotor', internal: true })
  const files = new FileClient(stage.market, owner.administrator.client)
  await files.addFile(owned, '%PDF-1.7', 'ip', 'first.pdf')
  await subscriptionsOf(owner.administrator.client).create({ partId: owned, consumerOrgId: buyer.orgId })
  const rfqs = rfqsOf(buyer.administrator.client)
  const content = { manufacturerIds: [maker.orgId], confidentialityTerms: TERMS }
  const { id } = (await rfqs.create(rfqBody(owned, content))).body
  expect((await rfqs.act(id, 'publish')).status).toBe(200)
  const terms = termsOf(maker.administrator.client)
  await terms.accept(id)
  expect((await termsOf(owner.administrator.client).release(id, maker.orgId)).status).toBe(200)
  await files.addFile(owned, '%PDF-1.7 second', 'ip', 'second.pdf')
  expect((await rfqs.act(id, 'amend', { partRevision: 'CURRENT', reason: 'A new drawing.' })).status).toBe(200)

  const note = 'Released for revision 2; new confidential files of revision 3 are not released.'
  const making = await stage.signIn(maker.administrator)
  await making.goto(`/console/rfqs/${id}`)
  await making.getByText(note).waitFor()
  await making.getByRole('link', { name: 'first.pdf' }).waitFor()
  expect(await making.getByRole('link', { name: 'second.pdf' }).count()).toBe(0)
  await checkWidths(making)
  const page = await stage.signIn(owner.administrator)
  await page.goto(`/console/rfqs/${id}`)
  await page.getByText(note).waitFor()
  await checkWidths(page)
  await act(page, 'Release files')
  await page.getByText(note).waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Release files' }).count()).toBe(0)
  await making.reload()
  await making.getByRole('link', { name: 'second.pdf' }).waitFor()
  expect(await making.getByText(note).count()).toBe(0)
  await Promise.all([page, making].map((each) => each.context().close()))
}, 60_000)

test('the release of confidential files is offered for an own part alone', async () => {
  const owner = await stage.market.organization(['IP_OWNER'])
  const foreign = await publishedPart(owner.administrator.client, { title: 'Foreign rotor' })
  const page = await stage.signIn(designer.administrator)
  await page.goto(`/console/rfqs/new?part=${partId}`)
  await page.getByLabel(/Release confidential files/).waitFor()
  await page.goto(`/console/rfqs/new?part=${foreign}`)
  await page.getByRole('option', { name: /Foreign rotor/ }).waitFor({ state: 'attached' })
  expect(await page.getByLabel(/Release confidential files/).count()).toBe(0)
  await page.context().close()
}, 60_000)
