import { expect, test } from 'bun:test'
import { checkScreen, consoleStage, fillSignIn, goTo, NARROW, send, WIDE } from '../../testing/console.ts'
import { createFactory } from '../../testing/factories.ts'
import { freePort } from '../../testing/free-port.ts'
import { newAddress } from '../../testing/mail/market.ts'
import { TestMailServer } from '../../testing/mail/server.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'

// The links of mails begin with PUBLIC_URL.
const port = freePort()
const server = await new TestMailServer().start()
const stage = await consoleStage({
  PORT: String(port),
  PUBLIC_URL: `http://localhost:${port}`,
  REGISTRATION: 'approval',
  SMTP_URL: server.url,
  MAIL_FROM: 'no-reply@market.example.com',
})
const operator = await stage.market.operator()
const baseURL = `http://localhost:${port}`

const linkIn = async (email: string, count: number, path: string) => {
  const mail = (await server.arrived(email, count)).at(-1)
  const [link] = new RegExp(`${baseURL}${path}#[\\w-]{43}`).exec(mail?.mail.text ?? '') ?? []
  if (!link) throw new Error(`no link: ${mail?.mail.text}`)
  return link
}

test('a stranger registers, is approved and signs in, in wide and narrow windows', async () => {
  const email = newAddress()
  const stranger = await stage.open({ ...NARROW, baseURL })
  await stranger.goto('/console')
  await stranger.getByRole('link', { name: 'New company? Register here.' }).click()
  await stranger.getByRole('heading', { name: 'Register your company' }).waitFor()
  const options = stranger.getByRole('group', { name: 'What your company does' }).locator('div').first()
  expect(await options.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0)
  await checkScreen(stranger)
  await stranger.getByRole('button', { name: 'Send' }).click()
  const activities = stranger.getByRole('group', { name: 'What your company does' })
  await activities.getByText('Choose at least one.').waitFor()
  await stranger.getByLabel('Name of the company').fill('Skagen Pumps')
  await stranger.getByLabel('Country').selectOption('DK')
  await stranger.getByLabel('We buy parts').check()
  await stranger.getByLabel('Given name').fill('Ida')
  await stranger.getByLabel('Family name').fill('Holm')
  await stranger.getByLabel('Your business e-mail address').fill(email)
  await stranger.getByRole('button', { name: 'Send' }).click()
  await stranger.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()

  await stranger.goto(await linkIn(email, 1, '/console/register'))
  await stranger.getByText(`Ida Holm registers Skagen Pumps with the address ${email}.`).waitFor()
  expect(new URL(stranger.url()).hash).toBe('')
  await checkScreen(stranger)
  await stranger.getByRole('button', { name: 'Confirm' }).click()
  await stranger.getByRole('heading', { name: 'Thank you' }).waitFor()

  const page = await stage.signIn(operator.administrator, { ...WIDE, baseURL })
  await page.goto('/console/organization')
  await page.getByRole('link', { name: 'Registrations' }).click()
  await page.getByRole('cell', { name: 'Skagen Pumps' }).first().waitFor()
  await checkScreen(page)
  await page.getByRole('button', { name: 'Approve' }).click()
  await send(page, 'Approve', { 'Name of the company': 'Skagen Pumps A/S' })
  await page.getByText('Nothing waits for you.').waitFor()

  await stranger.goto(await linkIn(email, 2, '/activate'))
  await stranger.getByLabel('New password').fill(TEST_PASSWORD)
  await stranger.getByRole('button').first().click()
  // The page says that the password is set; another address would end its request.
  await stranger.locator('#next').waitFor()
  await stranger.goto('/console')
  await fillSignIn(stranger, email)
  await stranger.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
  await goTo(stranger, 'Parts')
  expect(await stranger.getByText('Skagen Pumps A/S').first().isVisible()).toBe(true)
}, 60_000)

test('a used link says so, and an unlisted person sees no registrations', async () => {
  const stranger = await stage.open({ ...WIDE, baseURL })
  const failing = '**/flows/v1/registrations/introspect'
  await stranger.route(failing, (route) => route.fulfill({ status: 500, json: {} }))
  await stranger.goto('/console/register#used')
  await stranger.getByText('Please try again in a moment.').waitFor()
  await checkScreen(stranger)
  await stranger.unroute(failing)
  await stranger.getByRole('button', { name: 'Try again' }).click()
  await stranger.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await checkScreen(stranger)
  await stranger.getByRole('link', { name: 'Register' }).click()
  await stranger.getByRole('heading', { name: 'Register your company' }).waitFor()
  const { administrator } = await stage.market.organization(['CONSUMER'])
  const page = await stage.signIn(administrator, { ...WIDE, baseURL })
  await page.goto('/console/organization')
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await page.getByRole('link', { name: 'Registrations' }).count()).toBe(0)
})

test('a new organization is shown its first steps, each until it is done', async () => {
  const org = await stage.market.organization(['MANUFACTURER'])
  const { client } = org.administrator
  const page = await stage.signIn(org.administrator, { ...NARROW, baseURL })
  const steps = page.getByRole('region', { name: 'First steps' })
  const shown = async () => (await steps.getByRole('link').allInnerTexts()).map((text) => text.trim())
  await steps.getByRole('link', { name: 'Add your first factory' }).waitFor()
  await checkScreen(page)
  expect(await shown()).toEqual([
    'Add your first factory, so that buyers find you',
    'Invite a colleague',
    "Add a mail address that gets your organization's notifications",
  ])
  await org.member([])
  const factory = await createFactory(client, { capabilities: [] })
  await page.reload()
  await steps.getByRole('link', { name: `Say what ${factory.name} can make` }).waitFor()
  expect(await shown()).toHaveLength(2)
})
