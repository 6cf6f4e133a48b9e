import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { awardParties } from '../../testing/awards.ts'
import { checkScreen, consoleStage, fillSignIn, stateOf } from '../../testing/console.ts'
import { RACING, TEST_PASSWORD, type TestOrganization } from '../../testing/marketplace.ts'
import { euros, offersOf } from '../../testing/offers.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const stage = await consoleStage(RACING)
const parties = await awardParties(stage.market)
const { consumer, maker, rival, stranger, open, offer } = parties
const buyer = await consumer.member('Buyer')
const offering = await maker.member('Manufacturer')

/** The texts of all answers of the marketplace to a page. */
function answersTo(page: Page): Promise<string>[] {
  const answers: Promise<string>[] = []
  page.on('response', (response) => answers.push(response.text().catch(() => '')))
  return answers
}

const offerForm = async (page: Page, rfqId: string) => {
  await page.goto(`/console/rfqs/${rfqId}/offer`)
  await page.getByLabel('Unit price, EUR').first().fill('77.5')
  await page.getByLabel('Lead time in days').first().fill('12')
  await page.getByRole('button', { name: `Remove 2` }).click()
  await page.getByLabel('Notes for the consumer').fill('Turned from bar.')
}

describe('what an organization may not see', () => {
  test('sealed prices are neither on a screen nor in an answer until the RFQ closes', async () => {
    const rfqId = await open({ sealed: true })
    await offer(rfqId, maker, { priceBreaks: [{ minQuantity: 1, unitPrice: euros('4711.53'), leadTimeDays: 30 }] })
    const page = await stage.signIn(buyer)
    const answers = answersTo(page)
    const statuses = new Set<number>()
    page.on('response', (response) => statuses.add(response.status()))
    for (const path of ['/console', '/console/rfqs', `/console/rfqs/${rfqId}`, `/console/rfqs/${rfqId}/comparison`]) {
      await page.goto(path)
      await checkScreen(page)
    }
    await page.getByText('sealed', { exact: true }).first().waitFor()
    expect((await page.content()).replaceAll(',', '')).not.toContain('4711')
    const texts = await Promise.all(answers)
    expect(texts.length).toBeGreaterThan(10)
    expect(texts.filter((text) => text.includes('4711'))).toEqual([])
    expect((await rfqsOf(buyer.client).act(rfqId, 'close')).status).toBe(200)
    // The change by another client appears without a reload.
    await page.getByText('€4,711.53').first().waitFor()
    expect([...statuses].sort()).toEqual([200, 304])
  }, 60_000)

  test.each([
    ['an RFQ', async () => `/console/rfqs/${await open()}`],
    ['its comparison', async () => `/console/rfqs/${await open()}/comparison`],
    ['an order', async () => '/console/orders/order_01M84P5G8YFGRTA16154MPQ4YG'],
  ])('%s of another organization is not found at its address', async (_, pathOf) => {
    const page = await stage.signIn(stranger.administrator)
    await page.goto(await pathOf())
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    await checkScreen(page)
    await page.context().close()
  })
})

describe.concurrent('what changes while a person works', () => {
  test('two people award at the same time: one succeeds, the other gets an error and sees the orders', async () => {
    const rfqId = await open()
    await offer(rfqId, maker)
    await offer(rfqId, rival)
    const pages = await Promise.all([buyer, await consumer.member('Buyer')].map((each) => stage.signIn(each)))
    for (const page of pages) {
      await page.goto(`/console/rfqs/${rfqId}/comparison`)
      await page.getByRole('button', { name: 'Award' }).click()
      await page.getByRole('dialog').locator('input').first().fill('10')
    }
    // A quantity that is no number is refused at its field before anything is confirmed.
    const [first] = pages as [Page]
    const second = first.getByRole('dialog').locator('input').nth(1)
    await second.fill('none')
    await second.and(first.locator('[aria-invalid=true]')).waitFor()
    expect(await first.getByRole('dialog').getByRole('button', { name: 'Award' }).isDisabled()).toBe(true)
    await second.fill('')
    for (const page of pages) await page.getByRole('dialog').getByRole('button', { name: 'Award' }).click()
    const statuses = await Promise.all(
      pages.map(async (page) => {
        const answer = page.waitForResponse((response) => response.url().endsWith('/award'))
        await page.getByRole('button', { name: 'Confirm' }).click()
        return (await answer).status()
      }),
    )
    expect(statuses.toSorted()).toEqual([200, 409])
    const [, other] = statuses[0] === 200 ? pages : pages.toReversed()
    await other?.getByText(/The RFQ is AWARDED/).waitFor()
    await other?.getByRole('button', { name: 'Cancel' }).click()
    for (const page of pages) {
      await stateOf(page, 'Awarded')
      await page.getByRole('region', { name: 'Orders placed' }).getByRole('link').waitFor()
      await page.context().close()
    }
    expect(await parties.ordersOfRfq(rfqId)).toHaveLength(1)
  }, 60_000)

  test('a permission that is withdrawn while a form is open: the text stays, with the reason', async () => {
    const rfqId = await open()
    const person = await maker.member(['app:manufacturer', 'offer:create'])
    const page = await stage.signIn(person)
    await offerForm(page, rfqId)
    const { body } = await maker.administrator.client.get<{ items: { id: string }[] }>(
      `/v1/roles?userId=${person.userId}`,
    )
    for (const { id } of body.items) {
      await maker.administrator.client.post(`/flows/v1/roles/${id}/withdraw`, { userId: person.userId })
    }
    await page.getByRole('link', { name: 'RFQs' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('You no longer have permission for this. Your input is kept.').waitFor()
    expect(await page.getByLabel('Notes for the consumer').inputValue()).toBe('Turned from bar.')
    await checkScreen(page)
    await page.context().close()
  }, 60_000)

  test('a draft that a colleague changes after its summary is not submitted', async () => {
    const rfqId = await open()
    const page = await stage.signIn(await maker.member('Manufacturer'))
    await offerForm(page, rfqId)
    await page.getByRole('button', { name: 'Submit offer' }).click()
    await page.getByText('The consumer can accept this offer').waitFor()
    const colleague = offersOf(maker.administrator.client)
    const { body } = await colleague.list(`?view=MANUFACTURER&rfqId=${rfqId}`)
    const id = body.items[0]?.id ?? ''
    expect((await colleague.patch(id, { notes: 'Changed by a colleague.' })).status).toBe(200)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('has changed this in the meantime').waitFor()
    expect((await colleague.read(id)).body).toMatchObject({ state: 'DRAFT', notes: 'Changed by a colleague.' })
    await checkScreen(page)
    await page.context().close()
  }, 60_000)

  test('a session that ends in the middle of a form: the text is kept and sent after the sign-in', async () => {
    const rfqId = await open()
    const page = await stage.signIn(offering)
    await offerForm(page, rfqId)
    await endSessions(maker, offering.userId)
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
    await checkScreen(page)
    await fillSignIn(page, offering.email)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Notes for the consumer').inputValue()).toBe('Turned from bar.')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Draft saved.').waitFor()
    const { body } = await offersOf(maker.administrator.client).list(`?view=MANUFACTURER&rfqId=${rfqId}`)
    expect(body.items.map(({ notes, priceBreaks }) => [notes, priceBreaks?.[0]?.unitPrice.amount])).toEqual([
      ['Turned from bar.', '77.50'],
    ])
    await page.context().close()
  }, 60_000)

  test('a lost connection is shown, and the page recovers', async () => {
    const page = await stage.signIn(buyer)
    await page.context().setOffline(true)
    await page.getByText('Connection lost.').waitFor({ timeout: 20_000 })
    await page.context().setOffline(false)
    await page.getByText('Connection lost.').waitFor({ state: 'detached', timeout: 20_000 })
    await page.context().close()
  }, 60_000)
})

async function endSessions({ administrator: { client } }: TestOrganization, userId: string): Promise<void> {
  const { body } = await client.get<{ items: { id: string }[] }>(`/flows/v1/sessions?userId=${userId}`)
  for (const { id } of body.items) await client.post(`/flows/v1/sessions/${id}/end`)
}

test('the keyboard alone signs in, changes the password, and opens an RFQ', async () => {
  const rfqId = await open()
  const person = await consumer.member('Buyer')
  const page = await stage.open()
  await page.goto('/console')
  const type = (text: string) => page.keyboard.type(text)
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await page.locator('input:focus').waitFor()
  await type(person.email)
  await press('Enter')
  await page.locator('input[type=password]:focus').waitFor()
  await type(TEST_PASSWORD)
  await press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  await page.getByRole('complementary').getByRole('button', { name: 'Change password' }).focus()
  await press('Enter')
  await page.locator('dialog input:focus').waitFor()
  await type(TEST_PASSWORD)
  await press('Tab')
  await type('another password of this person')
  await press('Enter')
  await page.getByRole('complementary').getByText('Your password has been changed.').waitFor()
  await page.locator('button:focus', { hasText: 'Change password' }).waitFor()
  await press('Enter')
  await page.getByRole('dialog').waitFor()
  await press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.goto('/console/rfqs')
  await page.locator(`a[href="/console/rfqs/${rfqId}"]`).waitFor()
  // The first stop of the keyboard skips the navigation.
  await press('Tab', 'Enter')
  await page.locator('main:focus').waitFor()
  await page.locator(`a[href="/console/rfqs/${rfqId}"]`).focus()
  await press('Enter')
  await stateOf(page, 'Open')
  await page.context().close()
}, 60_000)

test('the policy lets no inline code run', async () => {
  const page = await stage.open()
  await page.goto('/console')
  const ran = await page.evaluate(`new Promise((resolve) => {
    addEventListener('securitypolicyviolation', ({ violatedDirective }) => resolve([violatedDirective, window.ran === undefined]))
    document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }))
  })`)
  expect(ran).toEqual(['script-src-elem', true])
  expect(stage.errors.splice(0)).toEqual([
    expect.stringContaining("the following Content Security Policy directive 'script-src"),
  ])
})

test('the language of the browser is that of the texts, numbers and dates', async () => {
  const page = await stage.open({ locale: 'de-DE' })
  await page.goto('/console')
  await page.getByLabel('E-Mail-Adresse').fill(buyer.email)
  await page.getByRole('button', { name: 'Weiter' }).click()
  await page.getByLabel('Passwort', { exact: true }).fill(TEST_PASSWORD)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByRole('heading', { name: 'Was auf Sie wartet' }).waitFor()
  await page.goto('/console/orders')
  // Ten pieces at 95.50, with tooling and shipping.
  await page.getByText('2.204,90 €').waitFor()
  await checkScreen(page)
  expect(await page.evaluate('document.documentElement.lang')).toBe('de')
  await page.getByRole('complementary').getByRole('button', { name: 'Passwort ändern' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Neues Passwort').fill('kurz')
  await dialog.getByRole('button', { name: 'Passwort ändern' }).click()
  await dialog.getByText('Bitte ausfüllen.').waitFor()
  await dialog.getByLabel('Bisheriges Passwort').fill(TEST_PASSWORD)
  await dialog.getByRole('button', { name: 'Passwort ändern' }).click()
  await dialog.getByText('12 bis 1024 Zeichen.', { exact: true }).waitFor()
  await page.context().close()
}, 60_000)
