import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { act, checkScreen, consoleStage, NARROW, press, stateOf, WIDE } from '../../testing/console.ts'
import { freePort } from '../../testing/free-port.ts'
import { until } from '../../testing/until.ts'

// Uploads have the address of PUBLIC_URL, and the pages are opened by another name of the same computer.
const port = freePort()
const stage = await consoleStage({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` })
const owner = await stage.market.organization(['IP_OWNER'])
const user = await owner.member('IP owner')

interface Part {
  state: string
  internal: boolean
}

const created = async () => {
  const { body } = await user.client.post<{ id: string }>('/v1/parts', { title: 'Gear', materialType: 'metal' })
  return body.id
}
const partOf = async (id: string) => (await user.client.get<Part>(`/v1/parts/${id}`)).body

/** A smallest picture. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function addFile(page: Page, name: string, group: string, buffer = Buffer.from(`%PDF-1.7\n%${name}\n%%EOF\n`)) {
  await page.getByRole('button', { name: 'Add files' }).click()
  const dialog = page.getByRole('dialog')
  const mimeType = name.endsWith('.png') ? 'image/png' : 'application/pdf'
  await dialog.getByLabel('Files').setInputFiles({ name, mimeType, buffer })
  await dialog.getByLabel('Kind').selectOption({ label: group })
  await dialog.getByRole('button', { name: 'Add files' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name }).waitFor()
}

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

/** What the dialog says of each file, in one line. */
const visibility = async (page: Page) =>
  (await page.getByRole('region', { name: 'Who can see which file' }).innerText()).replaceAll(/\s+/g, ' ')

const ALL = 'Every organization of this marketplace gear.pdf Document '
const INVITED =
  'Organizations invited to an RFQ for this part, subscribers to it by name, and those of its orders gear.pdf Document '
const HIDDEN =
  'Your organization, and manufacturers to which you release it for an order, or for an RFQ with confidentiality ' +
  'terms secret.pdf Confidential ' +
  'Only your organization study.pdf Development'

test('the dialog that publishes a part names each file and its readers; with files it is for invited makers at first', async () => {
  const id = await created()
  const page = await stage.signIn(user)
  await page.goto(`/console/parts/${id}`)
  await addFile(page, 'gear.pdf', 'Document')
  await addFile(page, 'secret.pdf', 'Confidential')
  await addFile(page, 'study.pdf', 'Development')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Publish' })
  const internal = dialog.getByLabel('Only subscribers and invited manufacturers')
  await dialog.getByText('gear.pdf').waitFor()
  expect([await internal.isChecked(), await visibility(page)]).toEqual([true, INVITED + HIDDEN])
  await checkWidths(page)
  // Also by the keyboard.
  await internal.focus()
  await page.keyboard.press('Space')
  await dialog.getByText('Every organization of this marketplace').waitFor()
  expect([await internal.isChecked(), await visibility(page)]).toEqual([false, ALL + HIDDEN])
  await page.keyboard.press('Space')
  await dialog.getByText('Organizations invited').waitFor()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await stateOf(page, 'Published')
  expect(await partOf(id)).toMatchObject({ state: 'PUBLISHED', internal: true })
  await act(page, 'Archive')
  await stateOf(page, 'Archived')
  await press(page, 'Publish again')
  const again = page.getByRole('dialog', { name: 'Publish again' })
  await again.getByText('gear.pdf').waitFor()
  await again.getByLabel('Only subscribers and invited manufacturers').uncheck()
  expect(await visibility(page)).toBe(ALL + HIDDEN)
  await again.getByRole('button', { name: 'Publish again' }).click()
  await stateOf(page, 'Published')
  expect(await partOf(id)).toMatchObject({ state: 'PUBLISHED', internal: false })
  // The page itself says it of each file, once the part is published.
  const listed = page.getByRole('region', { name: 'Drawings and files' }).getByRole('listitem')
  await listed.filter({ hasText: 'gear.pdf' }).getByText('Visible to: Every organization of this market').waitFor()
  await listed.filter({ hasText: 'study.pdf' }).getByText('Visible to: Only your organization.').waitFor()
  // A file that is added now is seen at once.
  await page.getByRole('button', { name: 'Add files' }).click()
  const add = page.getByRole('dialog', { name: 'Add files' })
  await add
    .getByLabel('Files')
    .setInputFiles({ name: 'seen.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
  await add.getByText('The file is immediately visible to: Every organization of this marketplace.').waitFor()
  await add.getByLabel('Kind').selectOption('Development')
  await add.getByText('The file is immediately visible to: Only your organization.').waitFor()
  await checkWidths(page)
  await page.context().close()
}, 60_000)

test('the form of a part has the switch: off without files, on with files until it is published', async () => {
  const id = await created()
  const page = await stage.signIn(user)
  const dialog = page.getByRole('dialog')
  const isInternal = async () => {
    await press(page, 'Edit')
    const internal = dialog.getByLabel('Only subscribers and invited manufacturers')
    await internal.waitFor()
    const isChecked = await internal.isChecked()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    return isChecked
  }
  await page.goto(`/console/parts/${id}`)
  expect(await isInternal()).toBe(false)
  await addFile(page, 'gear.pdf', 'Document')
  expect(await isInternal()).toBe(true)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await dialog.getByText('gear.pdf').waitFor()
  await dialog.getByLabel('Only subscribers and invited manufacturers').uncheck()
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await stateOf(page, 'Published')
  expect(await isInternal()).toBe(false)
  await page.goto('/console/parts')
  await page.getByRole('button', { name: 'New part' }).click()
  expect(await dialog.getByLabel('Only subscribers and invited manufacturers').isChecked()).toBe(false)
  await checkWidths(page)
  await dialog.getByLabel('Title').fill('Internal gear')
  await dialog.getByLabel('Only subscribers and invited manufacturers').check()
  await dialog.getByRole('button', { name: 'New part' }).click()
  await page.getByRole('heading', { level: 1, name: 'Internal gear' }).waitFor()
  expect(await partOf(page.url().split('/').at(-1) ?? '')).toMatchObject({ state: 'DRAFT', internal: true })
  await page.context().close()
}, 60_000)

test('many drafts are published at once: the dialog names their readers, and tells which were refused and why', async () => {
  const company = await stage.market.organization(['IP_OWNER'])
  const { client } = await company.member('IP owner')
  const drafts = new Map<string, string>()
  for (const title of ['Bracket', 'Flange', 'Gear', 'Published']) {
    const { body } = await client.post<{ id: string }>('/v1/parts', { title, materialType: 'metal' })
    drafts.set(title, body.id)
  }
  const { body: bare } = await client.post<{ id: string }>('/v1/parts', { title: 'Without material' })
  await client.post(`/flows/v1/parts/${drafts.get('Published')}/publish`)
  const stateIn = async (id = '') => (await client.get<Part>(`/v1/parts/${id}`)).body
  const page = await stage.signIn(await company.member('IP owner'))
  const dialog = page.getByRole('dialog')
  await page.goto(`/console/parts/${drafts.get('Gear')}`)
  await addFile(page, 'gear.pdf', 'Document')
  await addFile(page, 'secret.pdf', 'Confidential')
  await page.goto('/console/parts')
  await page.getByLabel('Select Gear').waitFor()
  // A published part is no choice.
  expect(await page.getByRole('table').getByRole('checkbox').count()).toBe(4)
  expect(await page.getByRole('button', { name: /^Publish/ }).count()).toBe(0)
  await page.getByLabel('Select all drafts shown (4)').check()
  await page.getByLabel('Select Flange').uncheck()
  await checkWidths(page)
  await page.getByRole('button', { name: 'Publish 3 parts' }).click()
  const internal = dialog.getByLabel('Only subscribers and invited manufacturers')
  const bareParts = dialog
    .locator('div')
    .filter({ hasText: /^Without files:/ })
    .getByRole('listitem')
  await bareParts.first().waitFor()
  expect(await bareParts.allInnerTexts()).toEqual(['Without material', 'Bracket'])
  expect(await internal.isChecked()).toBe(true)
  expect(await visibility(page)).toContain('those of its orders Gear: gear.pdf Document')
  await internal.uncheck()
  expect(await visibility(page)).toContain('Every organization of this marketplace Gear: gear.pdf Document')
  await checkWidths(page)
  await internal.check()
  await dialog.getByRole('button', { name: 'Publish 3 parts' }).click()
  await dialog.getByText('2 of 3 parts published.').waitFor()
  await dialog.getByRole('listitem').filter({ hasText: 'Without material' }).getByText('Material: Missing').waitFor()
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('Select all drafts shown (2)').waitFor()
  expect([
    await stateIn(drafts.get('Gear')),
    await stateIn(drafts.get('Flange')),
    await stateIn(bare.id),
  ]).toMatchObject([{ state: 'PUBLISHED', internal: true }, { state: 'DRAFT', internal: false }, { state: 'DRAFT' }])
  await page.getByLabel('Select Flange').check()
  await page.getByRole('button', { name: 'Publish 1 part' }).click()
  await bareParts.first().waitFor()
  expect(await bareParts.allInnerTexts()).toEqual(['Flange'])
  expect(await internal.isChecked()).toBe(false)
  await dialog.getByRole('button', { name: 'Publish 1 part' }).click()
  await page.getByText('1 part published.').waitFor()
  expect(await stateIn(drafts.get('Flange'))).toMatchObject({ state: 'PUBLISHED', internal: false })
  // Without the permission to publish, and among the parts of others, there is nothing to choose.
  await page.goto('/console/parts?view=CONSUMER')
  await page.getByRole('link', { name: 'Flange' }).waitFor()
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await page.context().close()
  const drafter = await stage.signIn(await company.member(['app:ip-owner', 'part:create', 'part:update']))
  await drafter.goto('/console/parts')
  await drafter.getByRole('link', { name: 'Without material' }).waitFor()
  expect(await drafter.getByRole('checkbox').count()).toBe(0)
  await drafter.context().close()
}, 60_000)

test('a part that another person changed since the dialog opened is not published', async () => {
  const id = await created()
  const page = await stage.signIn(user)
  await page.goto(`/console/parts/${id}`)
  await stateOf(page, 'Draft')
  // The page reads the part again and again; the dialog reads it anew.
  const opened = page.waitForResponse(
    (response) => response.url().endsWith(`/v1/parts/${id}`) && !response.request().headers()['if-none-match'],
  )
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await opened
  await page.getByRole('dialog').getByText('This part has no files.').waitFor()
  await user.client.send('PATCH', `/flows/v1/parts/${id}`, { body: { title: 'Gear II' } })
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('alert').getByText('has changed this in the meantime').waitFor()
  expect(await partOf(id)).toMatchObject({ state: 'DRAFT' })
  await page.context().close()
}, 60_000)

test('the processes of a part are those of its material', async () => {
  const page = await stage.signIn(user)
  await page.goto('/console/parts')
  await page.getByRole('button', { name: 'New part' }).click()
  const dialog = page.getByRole('dialog')
  const process = dialog.getByLabel('Process')
  const processes = () => process.locator('option').allInnerTexts()
  await process.locator('option').nth(1).waitFor({ state: 'attached' })
  const all = await processes()
  await dialog.getByLabel('Material', { exact: true }).selectOption({ label: 'Stainless steel 316L (1.4404)' })
  const ofMetal = await processes()
  expect([all.includes('Material jetting of polymer'), ofMetal.includes('Material jetting of polymer')]).toEqual([
    true,
    false,
  ])
  expect(ofMetal).toContain('Powder bed fusion of metal')
  await process.selectOption({ label: 'Powder bed fusion of metal' })
  await dialog.getByLabel('Material', { exact: true }).selectOption({ label: '–' })
  expect(await processes()).toEqual(all)
  await page.context().close()
}, 60_000)

test('under another name of the same computer files are sent and pictures shown', async () => {
  const id = await created()
  const page = await stage.signIn(user)
  await page.goto(`/console/parts/${id}`)
  expect(new URL(page.url()).hostname).toBe('127.0.0.1')
  await addFile(page, 'gear.png', 'Document', PNG)
  const picture = page.getByRole('button', { name: 'Show gear.png' }).locator('img')
  await picture.waitFor()
  await until(async () => (await page.evaluate(`document.querySelector('.thumbnail img').naturalWidth`)) === 1)
  await page.context().close()
}, 60_000)
