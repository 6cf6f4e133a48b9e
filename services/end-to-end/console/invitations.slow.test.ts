import { expect, test } from 'bun:test'
import { act, checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'
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

test.each([
  ['wide', WIDE],
  ['narrow', NARROW],
])(
  'in a %s window a maker that has declined is told so and offered no offer, until it is invited again',
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
    await checkScreen(page)
    await page.goto(`/console/rfqs/${id}/offer`)
    await page.getByText('Your organization declined this invitation').waitFor()
    expect(await page.getByRole('button', { name: 'Submit offer' }).count()).toBe(0)
    await checkScreen(page)
    await page.goto('/console')
    const home = page.getByRole('region', { name: 'Invitations' })
    await home.getByText('No open invitations.').waitFor()

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
