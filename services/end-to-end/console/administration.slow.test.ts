import { expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { act, checkScreen, consoleStage, NARROW, press, stateOf, WIDE } from '../../testing/console.ts'
import { freePort } from '../../testing/free-port.ts'
import { insertMailAddress } from '../../testing/operations/organization-records.ts'
import { WebhookReceiver } from '../../testing/receiver.ts'
import { until } from '../../testing/until.ts'

// The page may only send files to its own origin, so the addresses of uploads must have it.
const port = freePort()
const stage = await consoleStage({
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  ALLOW_PRIVATE_ADDRESSES: 'true',
  // No server listens there, so mails wait.
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'no-reply@example.com',
})

/** A screen is complete at both widths. */
async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

const open = (page: Page, screen: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click()
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** Presses a button of a row and sends its dialog. */
async function actOn(page: Page, row: string, verb: string): Promise<void> {
  await rowOf(page, row).getByRole('button', { name: verb, exact: true }).click()
  await sendDialog(page, verb)
}

async function sendDialog(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: verb })
  await dialog.getByRole('button', { name: verb, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

test('parts: a draft gets a drawing, is published, changed and archived', async () => {
  const owner = await stage.market.organization(['IP_OWNER'])
  const page = await stage.signIn(await owner.member('IP owner'))
  await open(page, 'Parts')
  await checkWidths(page)
  const title = 'Gear <img src=x onerror="document.title=1">'
  await page.getByRole('button', { name: 'New part' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill(title)
  await dialog.getByLabel('Material', { exact: true }).selectOption({ label: 'Stainless steel 316L (1.4404)' })
  await dialog.getByRole('button', { name: 'New part' }).click()
  await stateOf(page, 'Draft')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toStartWith(title)

  await page.getByRole('button', { name: 'Add files' }).click()
  const send = dialog.getByRole('button', { name: 'Add files' })
  await send.click()
  await dialog.getByText('Please choose a file.').waitFor()
  expect(await dialog.getByLabel('Files').getAttribute('aria-invalid')).toBe('true')
  await dialog
    .getByLabel('Files')
    .setInputFiles({ name: 'e.pdf', mimeType: 'application/pdf', buffer: Buffer.from('') })
  await send.click()
  await dialog.getByText('This file is empty.').waitFor()
  await dialog.getByRole('button', { name: 'Remove e.pdf' }).click()
  await dialog.getByLabel('Files').setInputFiles({
    name: 'gear.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.7\n%%EOF\n'),
  })
  await checkWidths(page)
  await sendDialog(page, 'Add files')
  await page.getByRole('link', { name: 'gear.pdf' }).waitFor()
  await act(page, 'Publish')
  await stateOf(page, 'Published')
  await act(page, 'Edit', { 'Your reference': 'G-7' })
  await page.getByText('G-7', { exact: true }).waitFor()
  await checkWidths(page)
  await act(page, 'Archive')
  await stateOf(page, 'Archived')
  await act(page, 'Publish again')
  await stateOf(page, 'Published')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await dialog.getByText('gear.pdf is removed from the part.').waitFor()
  await sendDialog(page, 'Remove')
  await page.getByRole('link', { name: 'gear.pdf' }).waitFor({ state: 'detached' })
  await act(page, 'Delete')
  await page.getByText('No matching parts.').waitFor()
  await page.context().close()
}, 60_000)

test('the pages of links say in the language of the browser whom they are for', async () => {
  const org = await stage.market.organization(['CONSUMER'], { name: 'Nordhavn <img src=x onerror="document.title=1">' })
  const { email, activationToken } = await org.invite()
  const page = await stage.open({ ...NARROW, locale: 'de-DE' })
  await page.goto(`/activate#${activationToken}`)
  await page.getByText(`Für das Konto ${email} von Nordhavn <img src=x onerror="document.title=1">.`).waitFor()
  await checkWidths(page)
  await page.getByLabel('Neues Passwort').fill('ein langes Passwort')
  const submit = page.getByRole('button', { name: 'Passwort setzen' })
  const html = { contentType: 'text/html', body: '<p>Bad gateway' }
  const failures: ((route: Route) => Promise<void>)[] = [
    (route) => route.abort(),
    (route) => route.fulfill({ ...html, status: 502 }),
    (route) => route.fulfill({ ...html, status: 404 }),
    (route) => route.fulfill({ json: { detail: 'Too many requests.' }, status: 429 }),
  ]
  for (const fail of failures) {
    await page.route('**/flows/v1/activations', fail, { times: 1 })
    await submit.click()
    await page.getByText('Bitte versuchen Sie es gleich noch einmal.').waitFor()
  }
  let requests = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/flows/v1/activations') requests += 1
  })
  await submit.dblclick()
  await page.getByText('Ihr Passwort ist gesetzt.').waitFor()
  expect(requests).toBe(1)
  await page.getByRole('link', { name: 'In der Konsole anmelden' }).waitFor()
  await checkWidths(page)
  await page.reload()
  await page.getByText('Öffnen Sie den ganzen Link').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)

  const { token, hash: confirmationHash } = newSecretToken()
  const owner = { orgId: org.orgId, userId: org.administrator.userId }
  const id = await insertMailAddress(stage.market.db.owner, owner, { confirmationHash })
  await page.goto(`/mail-address#confirm=${token}`)
  await page.getByText(`sollen an ${id}@example.org gesendet werden`).waitFor()
  await checkWidths(page)
  await page.getByRole('button', { name: 'Adresse bestätigen' }).click()
  await page.getByText('Die Adresse ist bestätigt').waitFor()
  const again = await page.context().newPage()
  await again.goto(`/mail-address#confirm=${token}`)
  await again.getByText('Dieser Link wurde schon benutzt').waitFor()
  await page.context().close()
}, 60_000)

test('factories: a new one gets a capability and is deactivated', async () => {
  const maker = await stage.market.organization(['MANUFACTURER'])
  const page = await stage.signIn(await maker.member('Manufacturer'))
  await open(page, 'Factories')
  await page.getByRole('button', { name: 'New factory' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Bergen Works')
  await dialog.getByRole('button', { name: 'New factory' }).click()
  // The marketplace names what is missing, at its field.
  await dialog.getByLabel('Country').and(page.locator('[aria-invalid=true]')).selectOption('Norway')
  await dialog.getByLabel('Town').fill('Bergen')
  await dialog.getByLabel('Street and number').fill('Kaien 4')
  await dialog.getByRole('button', { name: 'New factory' }).click()
  await stateOf(page, 'Active')
  await page.getByRole('button', { name: 'Add' }).click()
  await dialog.getByLabel('Material', { exact: true }).selectOption({ label: 'Stainless steel 316L (1.4404)' })
  await dialog.getByLabel('Technology').selectOption('pbf-lb-m')
  await checkWidths(page)
  await sendDialog(page, 'Add')
  await page.getByRole('listitem').filter({ hasText: 'Stainless steel 316L' }).waitFor()
  await act(page, 'Edit', { Name: 'Bergen Works II' })
  await page.getByRole('heading', { level: 1, name: 'Bergen Works II' }).waitFor()
  await act(page, 'Deactivate')
  await stateOf(page, 'Inactive')
  await act(page, 'Remove')
  await page.getByText('Without capabilities').waitFor()
  await open(page, 'Factories')
  await page.getByRole('link', { name: 'Bergen Works II' }).waitFor()
  await checkWidths(page)
  await page.context().close()
}, 60_000)

test('organization: people, roles, programs and their keys, and what the audit log says of them', async () => {
  const org = await stage.market.organization(['IP_OWNER'])
  const page = await stage.signIn(org.administrator)
  const dialog = page.getByRole('dialog')
  await open(page, 'Organization')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await dialog.getByLabel('E-mail address').fill(`maja@${org.orgId.toLowerCase().replace('_', '-')}.example.com`)
  await dialog.getByLabel('Given name').fill('Maja')
  await dialog.getByLabel('Family name').fill('Bech')
  await dialog.getByLabel('IP owner').check()
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Invite a person' }).click()
  expect(await dialog.getByRole('code').innerText()).toMatch(/^http:\/\/\S+\/activate#/)
  await dialog.getByRole('button', { name: 'Close' }).click()

  await rowOf(page, 'Maja Bech').getByRole('button', { name: 'Roles' }).click()
  expect(await dialog.getByLabel('IP owner').isChecked()).toBe(true)
  await dialog.getByLabel('IP owner').uncheck()
  await dialog.getByLabel('Viewer').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { items } = (await org.administrator.client.get<{ items: { id: string }[] }>('/v1/users?q=maja')).body
  const roles = await org.administrator.client.get<{ items: { name: string }[] }>(`/v1/roles?userId=${items[0]?.id}`)
  expect(roles.body.items.map(({ name }) => name)).toEqual(['Viewer'])
  await actOn(page, 'Maja Bech', 'Deactivate')
  await rowOf(page, 'Maja Bech').getByText('Inactive').waitFor()
  await checkWidths(page)

  await page.getByRole('link', { name: 'Roles' }).click()
  await page.getByRole('button', { name: 'New role' }).click()
  await dialog.getByLabel('Name').fill('Drawings')
  await dialog.getByLabel('File: write').check()
  await sendDialog(page, 'New role')
  await rowOf(page, 'Drawings').getByText('File: write').waitFor()
  await checkWidths(page)
  await actOn(page, 'Drawings', 'Remove')
  await rowOf(page, 'Drawings').waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'Service accounts' }).click()
  await act(page, 'New service account', { Name: 'ERP connector' })
  await rowOf(page, 'ERP connector').getByText('Keys', { exact: true }).last().click()
  await page.getByRole('button', { name: 'New key' }).click()
  await dialog.getByLabel('Networks').fill('203.0.113.0/24')
  await dialog.getByRole('button', { name: 'New key' }).click()
  await dialog.getByRole('code').first().waitFor()
  const values = await dialog.getByRole('code').allInnerTexts()
  expect(values).toEqual([expect.stringMatching(/^sak_/), expect.stringMatching(/^mkt_/)])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('203.0.113.0/24 · never used').waitFor()
  await checkWidths(page)
  expect(await page.content()).not.toContain(values[1])
  await actOn(page, 'ERP connector', 'Revoke')
  await rowOf(page, 'ERP connector').getByText('Inactive').waitFor()

  await page.getByRole('link', { name: 'Mail' }).click()
  await page.getByText('No addresses yet.').waitFor()
  await checkWidths(page)
  await page.getByRole('button', { name: 'Add an address' }).click()
  await dialog.getByLabel('E-mail address').fill('quotations@example.com')
  await dialog.getByLabel('Awards').uncheck()
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Add an address' }).click()
  await rowOf(page, 'quotations@example.com').getByText('Not confirmed yet').waitFor()
  await checkWidths(page)
  const confirmations = () => stage.market.db.owner`
    select from organization.mails where org_id = ${org.orgId} and kind = 'CONFIRMATION'`
  expect(await confirmations()).toHaveLength(1)
  await actOn(page, 'quotations@example.com', 'Send again')
  expect(await confirmations()).toHaveLength(2)

  await page.getByText('the administrators of your organization are notified').waitFor()
  await page.getByRole('button', { name: 'Do not notify administrators' }).click()
  await sendDialog(page, 'Do not notify administrators')
  await page.getByText('The administrators of your organization are not notified.').waitFor()
  // The home says that no mail reaches the person, until the address is confirmed or mail is turned off.
  await open(page, 'Home')
  await page.getByText("E-mail notifications don't reach you").waitFor()
  await checkWidths(page)
  await page.getByRole('link', { name: 'Confirm your address' }).click()
  await page.getByText('You receive e-mail notifications about').waitFor()
  await checkWidths(page)
  await page.getByRole('button', { name: 'Turn off notifications' }).click()
  await sendDialog(page, 'Turn off notifications')
  await page.getByText('You receive no e-mail notifications.').waitFor()
  await open(page, 'Home')
  await page.getByText('Nothing is waiting for you.').waitFor()
  expect(await page.getByText('notifications').count()).toBe(0)
  await open(page, 'Organization')

  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('button', { name: 'Service account · key: revoke' }).waitFor()
  await checkWidths(page)
  await page.getByRole('searchbox').fill('user.create')
  await page.getByRole('button', { name: 'User: create' }).click()
  await dialog.getByText('"roleIds"').waitFor()
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  const exported = await Bun.file(await (await download).path()).text()
  const procedures = exported.trim().split('\n')
  expect(procedures.map((line) => JSON.parse(line).procedure)).toEqual(['user.create'])
  await page.context().close()
}, 60_000)

test('webhooks: an endpoint is created, tested, paused, replayed and removed', async () => {
  const receiver = new WebhookReceiver()
  const org = await stage.market.organization(['CONSUMER'])
  const page = await stage.signIn(org.administrator)
  const dialog = page.getByRole('dialog')
  await open(page, 'Webhooks')
  await checkWidths(page)
  await page.getByRole('button', { name: 'New endpoint' }).click()
  await dialog.getByLabel('Address').fill(receiver.url)
  await dialog.getByLabel('Description').fill('Old shop')
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'New endpoint' }).click()
  expect(await dialog.getByRole('code').innerText()).toStartWith('whsec_')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await rowOf(page, receiver.url).getByText('Old shop').waitFor()
  await page.getByRole('link', { name: receiver.url }).click()
  await stateOf(page, 'Active')
  await press(page, 'Edit')
  await dialog.getByLabel('Description').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body: kept } = await org.administrator.client.get<{ data: { description?: string }[] }>(
    '/v2.3/webhooks/endpoints',
  )
  expect(kept.data[0]?.description ?? '').toBe('')
  await act(page, 'Test event')
  await rowOf(page, 'cases.created').getByText('Delivered').waitFor()
  expect(receiver.events.map(({ type }) => type)).toEqual(['cases.created'])
  await checkWidths(page)
  await page.getByRole('button', { name: 'cases.created' }).click()
  await dialog.getByRole('row').filter({ hasText: '200' }).waitFor()
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await act(page, 'Replay')
  await page.getByText('0 deliveries').waitFor()
  await press(page, 'New secret')
  await dialog.getByRole('button', { name: 'New secret' }).click()
  expect(await dialog.getByRole('code').innerText()).toStartWith('whsec_')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await act(page, 'Pause')
  await stateOf(page, 'Paused')
  await act(page, 'Resume')
  await stateOf(page, 'Active')
  await act(page, 'Remove')
  await page.getByText('No endpoints yet.').waitFor()
  await page.context().close()
}, 60_000)

test('a person without administration sees neither its screens nor its data', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const page = await stage.signIn(await org.member('Viewer'))
  const screens = page.getByRole('navigation', { name: 'Screens' }).getByRole('link')
  await screens.first().waitFor()
  expect(await screens.allInnerTexts()).toEqual(['Home'])
  await page.goto('/console/organization/audit-log')
  await page.getByRole('alert').getByText("You don't have access to this").waitFor()
  await checkWidths(page)
  await page.goto('/console/webhooks')
  await page.getByRole('alert').getByText("You don't have access to this").waitFor()
  await page.context().close()
}, 60_000)

test('a forgotten password: the page without a session sends a request, and says that a link is on its way', async () => {
  const org = await stage.market.organization(['CONSUMER'])
  const person = await org.member([])
  const page = await stage.open(WIDE)
  await page.goto('/console')
  await page.getByRole('button', { name: 'Forgotten your password?' }).click()
  const dialog = page.getByRole('dialog', { name: 'Forgotten your password?' })
  await dialog.getByLabel('E-mail address').fill(person.email)
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Send a link' }).click()
  await page.getByText('If an account with this address exists, a link is on its way.').waitFor()
  await page.getByRole('button', { name: 'Continue' }).waitFor()
  const links = () => stage.market.db.owner`
    select from organization.mails where user_id = ${person.userId} and kind = 'FORGOTTEN'`
  await until(async () => (await links()).length === 1, { what: 'the link' })
})
