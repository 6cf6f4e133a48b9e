import { expect, test } from 'bun:test'
import { checkScreen, consoleStage } from '../../testing/console.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'
import { subscriptionsOf } from '../../testing/subscriptions.ts'

const stage = await consoleStage()
const [owner, consumer, maker] = await Promise.all([
  stage.market.organization(['IP_OWNER']),
  stage.market.organization(['CONSUMER']),
  stage.market.organization(['MANUFACTURER']),
])
const { client } = owner.administrator
const rfqs = rfqsOf(consumer.administrator.client)

async function openFor(partId: string): Promise<string> {
  const { body } = await rfqs.create(rfqBody(partId, { manufacturerIds: [maker.orgId] }))
  expect((await rfqs.act(body.id, 'publish')).status).toBe(200)
  return body.id
}

test('a part in trade is not deleted, and the refusal names the way out in German', async () => {
  const partId = await publishedPart(client, { title: 'Nabe' })
  await openFor(partId)
  const page = await stage.signIn(owner.administrator)
  await page.evaluate(`localStorage.setItem('marketplace-language', 'de')`)
  await page.goto(`/console/parts/${partId}`)
  await page.getByRole('button', { name: 'Weitere Aktionen' }).click()
  await page.getByRole('button', { name: 'Löschen' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Löschen' }).click()
  await page.getByText('Für das Teil gibt es eine offene oder geschlossene Anfrage').waitFor()
  await page.getByText('Archivieren Sie es stattdessen.').waitFor()
  await page.context().close()
}, 60_000)

test('where only a confidential file has changed, the consumer reads that; the IP owner reads who can amend', async () => {
  const partId = await publishedPart(client, { title: 'Hub' })
  const rfqId = await openFor(partId)
  await new FileClient(stage.market, client).addFile(partId, '%PDF-1.7', 'ip', 'secret.pdf')
  const [buying, owning] = [await stage.signIn(consumer.administrator), await stage.signIn(owner.administrator)]
  await buying.goto(`/console/rfqs/${rfqId}`)
  const changes = buying.getByRole('region', { name: 'Changes of the part' })
  await changes.getByText('A file or detail that you cannot read has changed.').waitFor()
  await changes.getByRole('button', { name: 'Amend the RFQ' }).waitFor()
  await checkScreen(buying)
  await owning.goto(`/console/rfqs/${rfqId}`)
  const seen = owning.getByRole('region', { name: 'Changes of the part' })
  await seen.getByText('Files added: secret.pdf').waitFor()
  await seen.getByText(/Org \w+ can amend the RFQ to use the current one\./).waitFor()
  expect(await seen.getByText('that you cannot read').count()).toBe(0)
  expect(await seen.getByRole('button').count()).toBe(0)
  await Promise.all([buying, owning].map((page) => page.context().close()))
}, 60_000)

test('an RFQ whose part is no longer available offers no amendment for it; a live subscription is not requested', async () => {
  const partId = await publishedPart(client, { title: 'Rotor', requireSubscription: true })
  const grant = await subscriptionsOf(client).create({ partId, consumerOrgId: consumer.orgId })
  const rfqId = await openFor(partId)
  await client.send('PATCH', `/flows/v1/parts/${partId}`, { body: { title: 'Rotor II' } })
  const page = await stage.signIn(consumer.administrator)
  await page.goto(`/console/parts/${partId}`)
  await page.getByRole('link', { name: 'New RFQ' }).waitFor()
  await checkScreen(page)
  expect(await page.getByRole('button', { name: 'Request a subscription' }).count()).toBe(0)
  await page.goto(`/console/rfqs/${rfqId}`)
  const changes = page.getByRole('region', { name: 'Changes of the part' })
  await changes.getByRole('button', { name: 'Amend the RFQ' }).waitFor()
  expect((await client.send('DELETE', `/flows/v1/subscriptions/${grant.body.id}`)).status).toBe(204)
  await changes.getByText('The part is no longer available to your organization').waitFor()
  await changes.getByRole('button').waitFor({ state: 'detached' })
  await page.goto(`/console/parts/${partId}`)
  await page.getByRole('button', { name: 'Request a subscription' }).waitFor()
  await page.context().close()
}, 60_000)

test('a file that is dropped beside a field is refused, and text is not', async () => {
  const page = await stage.signIn(owner.administrator)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const isRefused = (type: string, fill: string) =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      ${fill}
      const event = new DragEvent('${type}', { dataTransfer, bubbles: true, cancelable: true })
      document.querySelector('h1').dispatchEvent(event)
      return event.defaultPrevented
    })()`)
  const file = `dataTransfer.items.add(new File(['x'], 'x.pdf'))`
  expect([await isRefused('dragover', file), await isRefused('drop', file)]).toEqual([true, true])
  expect(await isRefused('drop', `dataTransfer.setData('text/plain', 'x')`)).toBe(false)
  await page.context().close()
}, 60_000)
