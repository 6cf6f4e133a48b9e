import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'

const stage = await consoleStage()
const owner = await stage.market.organization(['IP_OWNER'])
const user = await owner.member('IP owner')

const titles = async () =>
  (
    await user.client.get<{ items: { title?: string; externalRef?: string }[] }>('/v1/parts?view=IP_OWNER')
  ).body.items.map(({ title, externalRef }) => `${externalRef} ${title}`)

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

test('a pasted table shows what each row does and where it is wrong; once it is right, it is imported', async () => {
  await user.client.post('/v1/parts', { externalRef: 'A-1', title: 'Hub' })
  const page = await stage.signIn(user)
  await page.goto('/console/parts')
  await page.getByRole('link', { name: 'Import and export' }).click()
  const paste = async (text: string) => {
    await page.getByLabel('Or paste the table').fill(text)
    await page.getByRole('button', { name: 'Check' }).click()
  }
  await paste('externalRef\ttitle\tmaterialId\nA-1\tHub 2\t\nA-2\tRing\tsteel')
  await page.getByText('0 new, 1 changed, 0 unchanged, 1 with problems').waitFor()
  expect(await page.locator('td.wrong').innerText()).toContain('Unknown: steel.')
  // The names of the catalog that contain it are suggested, also in the list of problems.
  const list = page.getByRole('list', { name: 'Problems' })
  await list.getByText(/^Row 3, materialId: Unknown: steel\. Did you mean .*steel/).waitFor()
  expect(await page.getByRole('button', { name: /^Import \d/ }).count()).toBe(0)
  await page.getByText('Empty cells change nothing.').waitFor()
  const changed = page.getByRole('row').filter({ hasText: 'Changed' })
  await changed.locator('del').getByText('Hub', { exact: true }).waitFor()
  expect(await changed.locator('ins').allInnerTexts()).toEqual(['Hub 2'])
  await checkWidths(page)
  expect(await titles()).toEqual(['A-1 Hub'])
  await paste('externalRef\ttitle\tmaterialId\nA-1\tHub 2\t\nA-2\t\tSTAINLESS STEEL 316L (1.4404)')
  await page.getByText('Missing. The part cannot be published yet.').waitFor()
  await page.getByRole('button', { name: 'Import 2 rows' }).waitFor()
  await checkWidths(page)
  await paste('externalRef\ttitle\tmaterialId\nA-1\tHub 2\t\nA-2\tRing\t316l')
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('Imported: 1 new, 1 changed.').waitFor()
  expect(await titles()).toEqual(['A-2 Ring', 'A-1 Hub 2'])
  await page.context().close()
}, 60_000)

test('rows that change a part come before those that change nothing', async () => {
  for (const externalRef of ['S-1', 'S-2']) await user.client.post('/v1/parts', { externalRef, title: 'Shaft' })
  const page = await stage.signIn(user)
  await page.goto('/console/parts/import')
  await page.getByLabel('Or paste the table').fill('externalRef\ttitle\nS-1\tShaft\nS-2\tShaft, long')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.locator('del').waitFor()
  const rows = page.getByRole('row').filter({ hasText: 'S-' })
  expect((await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
    '3 Changed S-2 Shaft → Shaft, long',
    '2 Unchanged S-1 Shaft',
  ])
  await page.context().close()
}, 60_000)

test('a file that an older spreadsheet wrote keeps its umlauts, and a wrong header says which column is wrong', async () => {
  const page = await stage.signIn(user)
  await page.goto('/console/parts/import')
  const file = (text: string) => ({ name: 'parts.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') })
  await page.getByLabel('CSV file').setInputFiles(file('externalRef;titel\r\nB-1;Gehäuse\r\n'))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('Unknown name in column 2. Did you mean title?').waitFor()
  await page.getByLabel('CSV file').setInputFiles(file('externalRef;title\r\nB-1;Gehäuse\r\n'))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByText('Imported: 1 new, 0 changed.').waitFor()
  expect(await titles()).toContain('B-1 Gehäuse')
  await page.context().close()
}, 60_000)

test('the template and the own parts are files', async () => {
  const page = await stage.signIn(user)
  await page.goto('/console/parts/import')
  for (const name of ['Download the template', 'Export all our parts']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
    expect(download.suggestedFilename()).toBe('parts.csv')
  }
  await page.context().close()
}, 60_000)
