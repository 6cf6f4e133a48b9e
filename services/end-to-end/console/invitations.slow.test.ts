import { expect, test } from 'bun:test'
import { act, checkScreen, consoleStage, NARROW, stateOf, WIDE } from '../../testing/console.ts'
import { createFactory } from '../../testing/factories.ts'
import { publishedPart, rfqBody, rfqsOf } from '../../testing/rfqs.ts'

const stage = await consoleStage()
const { market } = stage
const [ipOwner, consumer, maker] = await Promise.all([
  market.organization(['IP_OWNER']),
  market.organization(['CONSUMER'], { name: 'Nordhavn Shipping' }),
  market.organization(['MANUFACTURER'], { name: 'Vestland Additive' }),
])
const rfqs = rfqsOf(consumer.administrator.client)
await createFactory(maker.administrator.client)

async function open(title: string, manufacturerIds = [maker.orgId]) {
  const partId = await publishedPart(ipOwner.administrator.client, { title })
  const { id } = (await rfqs.create(rfqBody(partId, { manufacturerIds }))).body
  expect((await rfqs.act(id, 'publish')).status).toBe(200)
  return id
}

test('a buyer finds a maker by name that does not qualify, sees why, and invites it', async () => {
  const mill = await market.organization(['MANUFACTURER'], { name: 'Brest Milling' })
  await createFactory(mill.administrator.client, {
    name: 'Brest Works',
    capabilities: [{ materialCode: 'in718', technologyId: 'mill-5', standardCodes: [], criticalityIds: [] }],
  })
  const partId = await publishedPart(ipOwner.administrator.client, { title: 'Gland', materialId: '316l' })
  const { id } = (await rfqs.create(rfqBody(partId))).body
  const page = await stage.signIn(await consumer.member('Buyer'))
  await page.goto(`/console/rfqs/${id}`)
  const matches = page.getByRole('region', { name: 'Factories' })
  await matches.getByText('Vestland Additive').first().waitFor()
  expect(await matches.getByText('Brest Works').count()).toBe(0)
  await matches.getByLabel('Find a manufacturer by name').fill('brest')
  const row = matches.getByRole('row').filter({ hasText: 'Brest Works' })
  await row.getByText('Does not qualify for this part. You can still invite the manufacturer.').waitFor()
  await row.getByText(/^Material: the factory does not have .*316L/).waitFor()
  await checkScreen(page)
  await page.evaluate("localStorage.setItem('marketplace-language', 'de')")
  await page.reload()
  await page.getByLabel('Hersteller nach Namen suchen').fill('brest')
  await page.getByText(/^Werkstoff: das Werk hat nicht: .*316L/).waitFor()
  await checkScreen(page)
  await page.evaluate("localStorage.setItem('marketplace-language', 'en')")
  await page.reload()
  await matches.getByLabel('Find a manufacturer by name').fill('brest')
  await row.getByRole('button', { name: 'Invite' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
  await row.getByText('Invited').waitFor()
  expect((await rfqs.read(id)).body.manufacturerIds).toEqual([mill.orgId])
  // The publication names whom it invites. A manufacturer that declines is invited again where it was found.
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('dialog').getByText('Invited with the publication: Brest Milling.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await stateOf(page, 'Open')
  await rfqsOf(mill.administrator.client).act(id, 'decline', { reason: 'No free capacity.' })
  await row.getByText('Declined: No free capacity.').waitFor()
  await checkScreen(page)
  await row.getByRole('button', { name: 'Invite again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Invite again' }).click()
  await row.getByText('Invited').waitFor()
  expect(await page.getByRole('button', { name: 'Invite again' }).count()).toBe(0)
  const invitations = (
    await consumer.administrator.client.get<{ items: { state: string }[] }>(`/flows/v1/rfqs/${id}/invitations`)
  ).body.items
  expect(invitations.map(({ state }) => state)).toEqual(['INVITED'])
  await page.context().close()
}, 60_000)

test('the form of a draft warns of days that have passed, and the new draft is in the list at once', async () => {
  const partId = await publishedPart(ipOwner.administrator.client, { title: 'Volute' })
  const page = await stage.signIn(await consumer.member('Buyer'))
  await page.goto('/console/rfqs')
  await page.getByRole('row').nth(1).waitFor()
  await page.getByRole('link', { name: 'New RFQ' }).click()
  await page.getByLabel('Closes', { exact: true }).fill('2020-05-01T12:00')
  await page.getByText('This time has passed.').waitFor()
  await page.getByLabel('Closes', { exact: true }).fill('2031-05-01T12:00')
  await page.getByText('This time has passed.').waitFor({ state: 'detached' })
  await page.getByLabel('Wanted by').fill('2031-04-30')
  await page.getByText('This day is before the RFQ closes.').waitFor()
  await checkScreen(page)
  await page.getByLabel('Wanted by').fill('2031-05-01')
  await page.getByText('This day is before the RFQ closes.').waitFor({ state: 'detached' })
  await page.getByLabel('Part', { exact: true }).selectOption(partId)
  await page.getByLabel('Quantities').fill('10')
  await page.getByLabel('Delivery to').selectOption('DK')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await page.getByRole('button', { name: 'Publish' }).waitFor()
  // What this page has created is shown however long ago that was.
  await page.evaluate('(() => { const now = Date.now; Date.now = () => now() + 60000 })()')
  await page.getByRole('navigation').getByRole('link', { name: 'RFQs' }).click()
  await page.getByRole('row').filter({ hasText: 'Volute' }).waitFor()
  await page.context().close()
}, 60_000)

test.each([
  ['wide', WIDE],
  ['narrow', NARROW],
])(
  'in a %s window a maker that has declined sees that, and cannot create an offer until it is invited again',
  async (name, options) => {
    const id = await open(`Impeller, ${name}`)
    const page = await stage.signIn(await maker.member('Manufacturer'), options)
    await page.getByRole('link', { name: `Impeller, ${name}` }).waitFor()
    await page.goto(`/console/rfqs/${id}`)
    await page.getByRole('link', { name: 'Your offer' }).waitFor()
    await act(page, 'Decline', { Reason: 'No free capacity.' })
    await page.getByText(/Your organization declined this invitation on .*Reason given: No free capacity\./).waitFor()
    expect(await page.getByRole('link', { name: 'Your offer' }).count()).toBe(0)
    for (const button of ['Decline', 'Ask a question']) {
      expect(await page.getByRole('button', { name: button }).count()).toBe(0)
    }
    await stateOf(page, 'Declined')
    await checkScreen(page)
    await page.goto('/console/rfqs')
    const declined = page.getByRole('row').filter({ hasText: (await rfqs.read(id)).body.serialNumber })
    await declined.getByText('Declined').waitFor()
    await page.goto(`/console/rfqs/${id}/offer`)
    await page.getByText('Your organization declined this invitation').waitFor()
    expect(await page.getByRole('button', { name: 'Submit offer' }).count()).toBe(0)
    await checkScreen(page)
    await page.goto('/console')
    const home = page.getByRole('region', { name: 'Inbox' })
    await home.getByText('Nothing is waiting for you.').waitFor()

    await rfqs.act(id, 'invite', { manufacturerIds: [maker.orgId] })
    await page.reload()
    await home.getByRole('link', { name: `Impeller, ${name}` }).click()
    await page.getByRole('button', { name: 'Submit offer' }).waitFor()
    expect(await page.getByText('Your organization declined').count()).toBe(0)
    await rfqs.act(id, 'cancel', { reason: 'Shown.' })
    await page.context().close()
  },
  60_000,
)
