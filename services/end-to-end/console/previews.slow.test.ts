import { expect, setDefaultTimeout, test } from 'bun:test'
import { checkScreen, consoleStage, NARROW, WIDE } from '../../testing/console.ts'
import { FileClient } from '../../testing/files/file-client.ts'
import { freePort } from '../../testing/free-port.ts'
import { filesOf, stlBox } from '../../testing/previews.ts'
import { until } from '../../testing/until.ts'

// Uploads and previews have the address of PUBLIC_URL.
setDefaultTimeout(90_000)
const port = freePort()
const baseURL = `http://127.0.0.1:${port}`
const stage = await consoleStage({ PORT: String(port), PUBLIC_URL: baseURL, PREVIEWS: 'true' })
const owner = await stage.market.organization(['IP_OWNER'])
const user = await owner.member('IP owner')
const files = new FileClient(stage.market, user.client)

const partId = await files.createPublishedPart({ title: 'Bracket' })
await files.addFile(partId, stlBox(120, 80, 40), 'document', 'bracket.stl')
await files.addFile(partId, 'ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n#1=NONSENSE(;\n', 'document', 'broken.step')
await until(
  async () => {
    const listed = await filesOf(user.client, `/v1/parts/${partId}/files`)
    return listed.every(({ geometry }) => geometry !== undefined)
  },
  { what: 'the renderings', withinMs: 60_000 },
)

test('a part shows its picture in the list and its model in a viewer, by pointer and keyboard', async () => {
  const page = await stage.signIn(user, { ...WIDE, baseURL })
  await page.goto('/console/parts')
  const picture = page.locator('.picture img').first()
  await picture.waitFor()
  expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(512)
  await page.goto(`/console/parts/${partId}`)
  await page.getByText('No picture: the file is broken or incomplete.').waitFor()
  await page.getByText('120 × 80 × 40 mm, measured').waitFor()
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
  await page.getByRole('button', { name: 'Show bracket.stl' }).click()
  const dialog = page.getByRole('dialog')
  const canvas = dialog.locator('canvas')
  await dialog.getByText('Loading').waitFor({ state: 'detached' })
  await dialog.getByText('120 × 80 × 40 mm').waitFor()
  await dialog.getByText('384 cm³').waitFor()
  /** The view as a picture, which changes with each act. */
  const seen = async () => (await canvas.screenshot()).toString('base64')
  let before = await seen()
  const changes = async (act: () => Promise<unknown>) => {
    await act()
    await until(async () => (await seen()) !== before, { what: 'another view' })
    before = await seen()
  }
  await canvas.focus()
  await changes(() => page.keyboard.press('ArrowRight'))
  await changes(() => page.keyboard.press('ArrowUp'))
  await changes(() => page.keyboard.press('+'))
  await changes(() => page.keyboard.press('f'))
  await changes(() => dialog.getByLabel('Edges').uncheck())
  await changes(() => dialog.getByRole('slider', { name: 'Section' }).fill('0.5'))
  await checkScreen(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
})
