import { expect, setDefaultTimeout, test } from 'bun:test'
import { createCanvas, loadImage } from '@napi-rs/canvas'
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

/** A picture of 1,600 × 1,200 pixels. */
async function drawing(): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = createCanvas(1600, 1200)
  const context = canvas.getContext('2d')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, 1600, 1200)
  return new Uint8Array(await canvas.encode('png'))
}

const partId = await files.createPublishedPart({ title: 'Bracket' })
await files.addFile(partId, stlBox(120, 80, 40), 'document', 'bracket.stl')
await files.addFile(partId, await drawing(), 'document', 'drawing.png')
await files.addFile(partId, 'ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n#1=NONSENSE(;\n', 'document', 'broken.step')
await until(
  async () => {
    const listed = await filesOf(user.client, `/v1/parts/${partId}/files`)
    return listed.every(({ geometry, previews = [] }) => geometry !== undefined || previews.length > 0)
  },
  { what: 'the renderings', withinMs: 60_000 },
)

/** The share of a picture that has the colour of a cut in the light scheme, #c9772b. */
async function shareOfCut(png: Uint8Array): Promise<number> {
  const image = await loadImage(png)
  const context = createCanvas(image.width, image.height).getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  let count = 0
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = data.slice(at, at + 3)
    if (Math.abs(red - 0xc9) < 12 && Math.abs(green - 0x77) < 12 && Math.abs(blue - 0x2b) < 12) count += 1
  }
  return count / (data.length / 4)
}

test('two fingers enlarge a drawing around the point between them; one scrolls; keys and buttons stay', async () => {
  const page = await stage.signIn(user, { ...NARROW, baseURL, hasTouch: true })
  await page.goto(`/console/parts/${partId}`)
  await page.getByRole('button', { name: 'Show drawing.png' }).click()
  const dialog = page.getByRole('dialog')
  const image = dialog.locator('.sheet img')
  await image.waitFor()
  const width = async () => (await image.boundingBox())?.width ?? 0
  const box = await dialog.locator('.sheet').boundingBox()
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]
  const before = await width()
  const touch = await page.context().newCDPSession(page)
  const fingers = (apart: number) => [
    { x: x - apart, y, id: 0 },
    { x: x + apart, y, id: 1 },
  ]
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart?: number) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: apart === undefined ? [] : fingers(apart) })
  await send('touchStart', 20)
  for (const apart of [25, 30, 35, 40]) await send('touchMove', apart)
  await send('touchEnd')
  expect(Math.round(((await width()) / before) * 10) / 10).toBe(2)
  const scrolled = Number(await page.evaluate("document.querySelector('.sheet').scrollLeft"))
  expect(Math.abs(scrolled - before / 2)).toBeLessThan(3)
  await checkScreen(page)
  // Closer than the page is wide there is nothing to see.
  await send('touchStart', 80)
  for (const apart of [60, 40, 20, 5]) await send('touchMove', apart)
  await send('touchEnd')
  expect(await width()).toBeCloseTo(before, 0)
  expect(await dialog.getByRole('button', { name: 'Smaller' }).isDisabled()).toBe(true)
  await dialog.locator('.sheet').focus()
  await page.keyboard.press('+')
  expect(Math.round(((await width()) / before) * 10) / 10).toBe(1.5)
  await page.context().close()
})

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
  const section = dialog.getByRole('slider', { name: 'Section' })
  expect(await shareOfCut(await canvas.screenshot())).toBe(0)
  await changes(() => section.fill('50'))
  // The cut through the box is filled in its colour.
  expect(await shareOfCut(await canvas.screenshot())).toBeGreaterThan(0.02)
  await checkScreen(page)
  // The slider reaches both ends.
  await section.press('Home')
  expect(await section.inputValue()).toBe('0')
  await section.press('End')
  expect(await section.inputValue()).toBe('100')
  await until(async () => (await shareOfCut(await canvas.screenshot())) === 0, { what: 'the whole model' })
  await checkScreen(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
})
