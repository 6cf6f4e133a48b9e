import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { checkScreen, consoleStage, NARROW, stateOf, WIDE } from '../../testing/console.ts'
import { freePort } from '../../testing/free-port.ts'
import { until } from '../../testing/until.ts'

// Uploads have the address of PUBLIC_URL, and the pages are opened by another name of the same computer.
const port = freePort()
const stage = await consoleStage({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` })
const owner = await stage.market.organization(['IP_OWNER'])
const user = await owner.member('IP owner')
const { body: unit } = await owner.administrator.client.post<{ id: string }>('/flows/v1/business-units', {
  name: 'Pumps',
})
const { body: field } = await owner.administrator.client.post<{ id: string; options: { id: string; name: string }[] }>(
  '/flows/v1/custom-fields',
  { name: 'Lifecycle', options: [{ name: 'Current' }, { name: 'Legacy' }] },
)

const partOf = async (page: Page) =>
  (await user.client.get<Record<string, unknown>>(`/v1/parts/${new URL(page.url()).pathname.split('/').at(-1)}`)).body

async function checkWidths(page: Page): Promise<void> {
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport)
    await checkScreen(page)
  }
}

const WRITTEN = {
  title: 'Impeller',
  externalRef: 'DRW-4711-B',
  description: 'Closed impeller.',
  descriptionManufacturer: 'Machine the bore.',
  materialType: 'metal',
  processId: 'pbf-metal',
  materialNote: 'Low carbon.',
  processNote: 'Build upright.',
  rapidManufacturingMaterial: 'PA12',
  documentationRequirementNotes: 'EN 10204 3.1.',
  exemptionsNotes: 'Back side.',
  otherRequirementNotes: 'Balance.',
  standardIds: ['iso-astm-52901'],
  criticalityIds: ['api-20s-amsl-2'],
  categoryIds: ['iso-14224-pu'],
  keywords: ['impeller', 'pump, cooling'],
  unitSystem: 'IMPERIAL',
  boundingBox: { x: 4.5, z: 2 },
  businessUnitIds: [unit.id],
  customFields: [{ fieldId: field.id, optionId: field.options[1]?.id }],
  metadata: { pump: 'P-101A', site: 'Bergen' },
  requireSubscription: true,
  internal: true,
}

test('the form of a part has every field of its creation, in sections', async () => {
  const page = await stage.signIn(user)
  await page.goto('/console/parts')
  await page.getByRole('button', { name: 'New part' }).click()
  const dialog = page.getByRole('dialog')
  const type = (label: string, text: string) => dialog.getByLabel(label, { exact: false }).fill(text)
  await type('Title', WRITTEN.title)
  await type('Your reference', WRITTEN.externalRef)
  await type('Description', WRITTEN.description)
  await dialog.getByLabel('Material family').selectOption('metal')
  await dialog.getByLabel('Process').selectOption(WRITTEN.processId)
  await dialog.getByLabel('Only subscribers and invited manufacturers').check()
  await dialog.getByText('Notes and requirements').click()
  await type('Text for manufacturers', WRITTEN.descriptionManufacturer)
  await type('Notes on the material', WRITTEN.materialNote)
  await type('Notes on the process', WRITTEN.processNote)
  await type('Material for rapid manufacturing', WRITTEN.rapidManufacturingMaterial)
  await type('Documents to deliver', WRITTEN.documentationRequirementNotes)
  await type('Exemptions from the requirements', WRITTEN.exemptionsNotes)
  await type('Other requirements', WRITTEN.otherRequirementNotes)
  await dialog.getByText('Standards, categories and keywords').click()
  await dialog.locator('input[name=standardIds][value=iso-astm-52901]').check()
  await dialog.locator('input[name=criticalityIds][value=api-20s-amsl-2]').check()
  await dialog.getByLabel('Search: Equipment categories').fill('pumps')
  await dialog.getByRole('button', { name: 'Add Pumps (PU)' }).click()
  await dialog.getByLabel('Search: UNSPSC categories').fill('centrifugal pumps')
  await dialog.getByRole('button', { name: 'Add Centrifugal pumps' }).click()
  await type('Keywords', WRITTEN.keywords.join('\n'))
  await dialog.locator('summary', { hasText: 'Size' }).click()
  await dialog.getByLabel('Unit of lengths').selectOption('IMPERIAL')
  await type('Length (x)', '4.5')
  await type('Height (z)', '2')
  await dialog.getByText("Your organization's data").click()
  await dialog.getByLabel('Pumps', { exact: true }).check()
  await dialog.getByLabel('Lifecycle').selectOption({ label: 'Legacy' })
  await dialog.locator('summary', { hasText: 'Further data' }).click()
  await dialog.getByText('Everyone who can see the part can see this data.').waitFor()
  for (const [at, [key, value]] of Object.entries(WRITTEN.metadata).entries()) {
    await dialog.getByRole('button', { name: 'Add a row' }).click()
    await dialog.getByLabel('Key', { exact: true }).nth(at).fill(key)
    await dialog.getByLabel('Value', { exact: true }).nth(at).fill(value)
  }
  await dialog.getByLabel('Needs a subscription').check()
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'New part' }).click()
  await page.getByRole('heading', { level: 1, name: 'Impeller' }).waitFor()
  expect(await partOf(page)).toMatchObject({ ...WRITTEN, unspscCategoryIds: [expect.any(String)] })
  for (const [term, value] of [
    ['Equipment categories', 'Pumps (PU)'],
    ['UNSPSC categories', 'Centrifugal pumps'],
    ['Business units', 'Pumps'],
    ['Lifecycle', 'Legacy'],
    ['Size', '4.5 × 2 in'],
    ['pump', 'P-101A'],
  ] as const) {
    const fact = page.locator('.facts > div').filter({ has: page.locator(`dt:text-is("${term}")`) })
    await fact.getByRole('definition').getByText(value).waitFor()
  }
  await checkWidths(page)
  await page.context().close()
}, 60_000)

test('a section that stays folded keeps its fields, and one that was emptied clears them', async () => {
  const { body } = await user.client.post<{ id: string }>('/v1/parts', {
    title: 'Valve',
    materialId: '316l',
    keywords: ['valve'],
    materialNote: 'Low carbon.',
    metadata: { pump: 'P-101A' },
  })
  const page = await stage.signIn(user)
  await page.goto(`/console/parts/${body.id}`)
  const dialog = page.getByRole('dialog')
  const edit = page.getByRole('button', { name: 'Edit', exact: true })
  await edit.click()
  await dialog.getByLabel('Title').fill('Gate valve')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Gate valve' }).waitFor()
  expect(await partOf(page)).toMatchObject({
    title: 'Gate valve',
    keywords: ['valve'],
    materialNote: 'Low carbon.',
    metadata: { pump: 'P-101A' },
  })
  await edit.click()
  await dialog.getByText('Notes and requirements').click()
  await dialog.getByLabel('Notes on the material').fill('')
  await dialog.getByText('Standards, categories and keywords').click()
  await dialog.getByLabel('Keywords').fill('')
  await dialog.locator('summary', { hasText: 'Further data' }).click()
  await dialog.getByRole('button', { name: 'Add a row' }).click()
  await dialog.getByLabel('Key', { exact: true }).nth(1).fill('pump')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('A key appears twice.').waitFor()
  for (const _ of [1, 2]) await dialog.locator('.pair').first().getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const emptied = await partOf(page)
  expect(emptied).toMatchObject({ title: 'Gate valve', materialId: '316l', keywords: [], metadata: {} })
  expect(emptied).not.toHaveProperty('materialNote')
  await page.context().close()
}, 60_000)

test('a title of spaces alone is refused in the form, and the lengths name their unit', async () => {
  const page = await stage.signIn(user)
  await page.goto('/console/parts')
  await page.getByRole('button', { name: 'New part' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('   ')
  await dialog.locator('summary', { hasText: 'Size' }).click()
  await dialog.getByLabel('Length (x), mm').waitFor()
  await dialog.getByLabel('Unit of lengths').selectOption('IMPERIAL')
  await dialog.getByLabel('Length (x), inch').waitFor()
  await dialog.getByRole('button', { name: 'New part' }).click()
  await dialog.getByText('A title of spaces alone is empty. Please name the part.').waitFor()
  await checkWidths(page)
  await page.context().close()
}, 60_000)

test('a model is confidential at first, and below each kind stands who will see the file', async () => {
  const { body } = await user.client.post<{ id: string }>('/v1/parts', { title: 'Gear', materialType: 'metal' })
  const page = await stage.signIn(user)
  await page.goto(`/console/parts/${body.id}`)
  await page.getByRole('button', { name: 'Add files' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Files').setInputFiles(['Gear.STEP', 'gear.sldprt', 'notes.step.pdf'].map(pdf))
  const kindOf = (name: string) => dialog.getByLabel(`Kind of ${name}`).inputValue()
  await dialog.getByLabel('Kind of notes.step.pdf').waitFor()
  expect(await Promise.all(['Gear.STEP', 'gear.sldprt', 'notes.step.pdf'].map(kindOf))).toEqual([
    'ip',
    'ip',
    'document',
  ])
  await dialog
    .getByText('unless you decide otherwise then, the file is visible to: Your organization, and')
    .first()
    .waitFor()
  await dialog.getByText('the file is visible to: Organizations invited to an RFQ for this part').waitFor()
  await checkWidths(page)
  await page.context().close()
}, 60_000)

test('a preview that is no image is named, and chosen files are not dropped without a question', async () => {
  const { body } = await user.client.post<{ id: string }>('/v1/parts', { title: 'Gear', materialType: 'metal' })
  const page = await stage.signIn(user)
  await page.goto(`/console/parts/${body.id}`)
  await page.getByRole('button', { name: 'Add files' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Files').setInputFiles([pdf('gear.pdf')])
  await dialog.getByLabel('Kind of gear.pdf').selectOption({ label: 'Preview' })
  await dialog.getByText('gear.pdf is not an image, so it cannot be shown as a preview.').waitFor()
  await checkWidths(page)
  let asked = 0
  page.on('dialog', async (question) => {
    asked += 1
    await question.dismiss()
  })
  for (const times of [1, 2, 3]) {
    await page.keyboard.press('Escape')
    await until(() => asked === times, { what: `question ${times} before the files are dropped` })
    expect(await dialog.getByLabel('Kind of gear.pdf').isVisible()).toBe(true)
  }
  await page.context().close()
}, 60_000)

const pdf = (name: string) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from(`%PDF-1.7\n%${name}\n`) })

test('files that are dropped together each have a group, and one that is refused keeps its problem', async () => {
  const { body } = await user.client.post<{ id: string }>('/v1/parts', { title: 'Gear', materialType: 'metal' })
  const page = await stage.signIn(user)
  await page.goto(`/console/parts/${body.id}`)
  await stateOf(page, 'Draft')
  await page.getByRole('button', { name: 'Add files' }).click()
  const dialog = page.getByRole('dialog')
  const dropped = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer()
    for (const name of ['gear.pdf', 'empty.pdf', 'secret.pdf'])
      transfer.items.add(new File(name === 'empty.pdf' ? [] : ['%PDF-1.7 ' + name], name, { type: 'application/pdf' }))
    return transfer
  })()`)
  await dialog.locator('.drop').dispatchEvent('drop', { dataTransfer: dropped })
  await dialog.getByLabel('Kind of secret.pdf').selectOption({ label: 'Confidential' })
  await checkWidths(page)
  await dialog.getByRole('button', { name: 'Add files' }).click()
  await dialog.getByText('This file is empty.').waitFor()
  // What arrived is added, and only the other one is left.
  await dialog.getByLabel('Kind of gear.pdf').waitFor({ state: 'detached' })
  expect(await dialog.getByLabel('Kind of empty.pdf').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByRole('button', { name: 'Remove empty.pdf' }).click()
  await dialog.getByLabel('Files').setInputFiles([pdf('report.pdf'), pdf('study.pdf')])
  await dialog.getByLabel('Kind of study.pdf').selectOption({ label: 'Development' })
  await dialog.getByRole('button', { name: 'Add files' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { items } = (await user.client.get<{ items: { name: string; group: string }[] }>(`/v1/parts/${body.id}/files`))
    .body
  expect(items.map(({ name, group }) => `${name} ${group}`).toSorted()).toEqual([
    'gear.pdf document',
    'report.pdf document',
    'secret.pdf ip',
    'study.pdf development',
  ])
  await page.context().close()
}, 60_000)
