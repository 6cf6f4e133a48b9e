import { expect, setDefaultTimeout, test } from 'bun:test'
import { casesOf } from '../../testing/cases.ts'
import { consoleStage, goTo } from '../../testing/console.ts'
import { createFactory } from '../../testing/factories.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { packageParties } from '../../testing/packages.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

setDefaultTimeout(90_000)
const stage = await consoleStage()
const { market } = stage
const REFUSED = { status: 403, contentType: 'application/problem+json', body: '{}' }
const NO_PERMISSION = 'You no longer have permission for this.'

test('a search keeps what is typed while its answers arrive, and shows a change from elsewhere', async () => {
  const org = await market.organization(['IP_OWNER'])
  const page = await stage.signIn(org.administrator)
  await goTo(page, 'Parts')
  const search = page.getByRole('searchbox')
  await search.pressSequentially('ballast ')
  await page.waitForURL(/q=ballast$/)
  await search.pressSequentially('pu')
  // An answer that arrives in the middle of a word.
  await page.evaluate("dispatchEvent(new Event('online'))")
  await search.pressSequentially('mp')
  await page.waitForURL(/q=ballast(\+|%20)pump$/)
  expect(await search.inputValue()).toBe('ballast pump')
  await goTo(page, 'Parts')
  await page.waitForURL((url) => url.search === '')
  expect(await search.inputValue()).toBe('')
})

test('saving the roles of a person withdraws none that is on a later page', async () => {
  const org = await market.organization(['CONSUMER'])
  const { client } = org.administrator
  const ids: string[] = []
  for (let number = 0; number < 55; number++) {
    const name = `Role ${String(number).padStart(2, '0')}`
    ids.push((await client.post<{ id: string }>('/flows/v1/roles', { name, permissions: [] })).body.id)
  }
  const person = await org.member('Viewer')
  const held = [ids[0], ids[54]] as string[]
  for (const id of held) await client.post(`/flows/v1/roles/${id}/grant`, { userId: person.userId })
  const page = await stage.signIn(org.administrator)
  const dialog = page.getByRole('dialog')
  await page.goto('/console/organization')
  const row = page.getByRole('row').filter({ hasText: person.email })
  await row.getByRole('button', { name: 'Roles' }).click()
  await dialog.getByLabel('Role 30').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { items } = (await client.get<{ items: { name: string }[] }>(`/v1/roles?userId=${person.userId}`)).body
  expect(items.map(({ name }) => name).toSorted()).toEqual(['Role 00', 'Role 30', 'Role 54', 'Viewer'])

  // Roles that cannot be read are neither shown nor sent.
  await page.route('**/v1/roles?*', (route) => route.fulfill(REFUSED))
  await row.getByRole('button', { name: 'Roles' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('The roles could not be read').waitFor()
})

test('a dialog that cannot be read and a file that cannot be made say so', async () => {
  const org = await market.organization(['CONSUMER'])
  const { email } = await org.member('Buyer')
  const page = await stage.signIn(org.administrator)
  await page.goto('/console/organization')
  let reads = 0
  let answer = () => {}
  const isAsked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/v1\/users\/\w+$/, async (route) => {
    reads += 1
    await isAsked
    await route.fulfill(REFUSED)
  })
  const row = page.getByRole('row').filter({ hasText: email })
  const edit = row.getByRole('button', { name: 'Edit' })
  await edit.click()
  await row.locator('[aria-disabled=true]').waitFor()
  await edit.click({ force: true })
  answer()
  await row.getByRole('alert').getByText(NO_PERMISSION).waitFor()
  expect(reads).toBe(1)
  await page.unroute(/\/v1\/users\/\w+$/)
  await edit.click()
  await page.getByRole('dialog').getByLabel('Given name').waitFor()
  expect(await row.getByRole('alert').count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.route('**/audit-log/export*', (route) => route.fulfill(REFUSED))
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('alert').getByText(NO_PERMISSION).waitFor()
})

test('a draft keeps its factory, which may be beyond the first page or inactive', async () => {
  const { maker, open, factory, draftOffer } = await offerParties(market)
  const { client } = maker.administrator
  for (let number = 0; number < 26; number++) await createFactory(client, { name: `Works ${number}` })
  const last = await createFactory(client, { name: 'Zeta Works' })
  const inactive = await createFactory(client, { name: 'Old Works' })
  const page = await stage.signIn(await maker.member('Manufacturer'))
  const read = offersOf(client).read
  for (const { id } of [factory, last, inactive]) {
    const rfqId = await open()
    const offerId = await draftOffer({ factoryId: id }, rfqId)
    if (id === inactive.id) await client.post(`/flows/v1/factories/${id}/deactivate`)
    await page.goto(`/console/rfqs/${rfqId}/offer`)
    await page.getByLabel('Notes for the consumer').fill('Turned from bar.')
    await page.locator('select[name=factoryId] option').nth(27).waitFor({ state: 'attached' })
    expect(await page.getByLabel('Factory').inputValue()).toBe(id)
    expect(await page.getByText('Old Works (Inactive)').count()).toBe(id === inactive.id ? 1 : 0)
    if (id === inactive.id) continue
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByRole('button', { name: 'Save draft' }).and(page.locator(':enabled')).waitFor()
    const deadline = Date.now() + 10_000
    while ((await read(offerId)).body.notes === undefined && Date.now() < deadline) await Bun.sleep(100)
    expect((await read(offerId)).body).toMatchObject({ factoryId: id, notes: 'Turned from bar.' })
    // The window asks before text is lost, and nothing is unsaved here.
    await page.goto('/console')
  }
})

test('typed prices of a package stay when one of its lines changes', async () => {
  const { maker, open, consumer } = await packageParties(market)
  const { id, lines } = await open()
  const page = await stage.signIn(await maker.member('Manufacturer'))
  await page.goto(`/console/packages/${id}`)
  const price = (part: string) => page.getByLabel(`Unit price, ${part}, from 10 pieces`)
  await price('Impeller').fill('81.5')
  await page.evaluate("document.querySelector('.sheet').isSame = true")
  const rfqs = rfqsOf(consumer.administrator.client)
  expect((await rfqs.act(lines[1]?.rfqId ?? '', 'cancel', { reason: 'No longer needed.' })).status).toBe(200)
  await price('Hub').waitFor({ state: 'detached' })
  expect(await price('Impeller').inputValue()).toBe('81.5')
  expect(await page.evaluate("document.querySelector('.sheet').isSame")).toBe(true)
})

test('a half-typed message stays when a second conversation begins', async () => {
  const { maker, rival, consumer, open } = await offerParties(market)
  const rfqId = await open({ manufacturerIds: [maker.orgId] })
  const page = await stage.signIn(await consumer.member('Buyer'))
  await page.goto(`/console/rfqs/${rfqId}`)
  const message = page.getByLabel('Message', { exact: true })
  await message.fill('Can you start in')
  const { status } = await rfqsOf(consumer.administrator.client).act(rfqId, 'invite', {
    manufacturerIds: [rival.orgId],
  })
  expect(status).toBe(200)
  expect((await casesOf(consumer.administrator.client).list(`?rfqId=${rfqId}`)).body.items.length).toBeGreaterThan(1)
  await page.getByRole('region', { name: 'Conversations' }).getByRole('listitem').nth(1).waitFor()
  expect(await message.inputValue()).toBe('Can you start in')
})
