import { afterAll, expect, test } from 'bun:test'
import { act, checkScreen, consoleStage, fillSignIn, NARROW } from '../../testing/console.ts'
import { SHARED_DNS } from '../../testing/dns.ts'
import { freePort } from '../../testing/free-port.ts'
import { CLIENT, TestIdentityProvider } from '../../testing/identity-provider.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'

const port = freePort()
const stage = await consoleStage({
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  ALLOW_PRIVATE_ADDRESSES: 'true',
})
const org = await stage.market.organization(['CONSUMER'], {
  administrator: { email: 'ada@company.example.net', givenName: 'Ada', familyName: 'Berg' },
})
const idp = await TestIdentityProvider.start()
afterAll(() => idp.stop())

test('an administrator adds a provider, proves a domain, tests and enforces it; then people sign in by it', async () => {
  const page = await stage.signIn(org.administrator)
  await page.goto('/console/organization/identity-providers')
  await act(page, 'New provider', {
    Name: 'Company login',
    Issuer: idp.issuer,
    'Client id': CLIENT.clientId,
    'Client secret': CLIENT.clientSecret,
    Domains: 'company.example.net',
    'Claim with groups': 'groups',
    'Roles of groups': 'purchasing = Buyer',
  })
  await page.getByText('Not proved').waitFor()
  await checkScreen(page)
  const redirectUrl = await page.locator('code', { hasText: '/flows/v1/sso/callback/' }).innerText()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const provisioning = page.getByRole('region', { name: 'Provisioning by SCIM' })
  await provisioning.getByText('user:manage').waitFor()
  await provisioning.getByRole('button', { name: 'Copy: SCIM base URL' }).click()
  await provisioning.getByRole('button', { name: 'Copied: SCIM base URL' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`http://127.0.0.1:${port}/scim/v2`)
  expect(redirectUrl).toStartWith(`http://127.0.0.1:${port}/flows/v1/sso/callback/idp_`)
  await idp.register(redirectUrl)

  await page.getByRole('button', { name: 'Prove' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('code').nth(1).waitFor()
  const [name = '', value = ''] = await dialog.locator('code').allInnerTexts()
  await dialog.getByRole('button', { name: 'Prove' }).click()
  await dialog.getByText(`There is no TXT record ${name} with this value yet.`).waitFor()
  await dialog.getByRole('button', { name: 'Copy: Value' }).click()
  await dialog.getByRole('button', { name: 'Copied: Value' }).waitFor()
  SHARED_DNS.records.set(name, [[value]])
  await dialog.getByRole('button', { name: 'Prove' }).click()
  await page.getByText('Proved', { exact: true }).waitFor()

  idp.signsIn({ sub: 'ada', email: 'ada@company.example.net', email_verified: true })
  await page.getByText('Not tested yet').waitFor()
  await page.getByRole('button', { name: 'Test' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test' }).click()
  await page.getByText('Succeeded').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/organization/identity-providers')
  await act(page, 'Enforce')
  await page.getByText('Enforced').waitFor()
  await checkScreen(page)

  // A new person comes by the provider, with the role of a group.
  idp.signsIn({
    sub: 'ole',
    email: 'ole@company.example.net',
    email_verified: true,
    given_name: 'Ole',
    family_name: 'Dahl',
    groups: ['purchasing'],
  })
  const window = await stage.open(NARROW)
  await window.goto('/console/rfqs')
  await checkScreen(window)
  await window.getByLabel('E-mail address').fill('ole@company.example.net')
  await window.getByRole('button', { name: 'Continue' }).click()
  await window.getByRole('heading', { level: 1, name: 'RFQs' }).waitFor()
  expect(window.url()).toBe(`http://127.0.0.1:${port}/console/rfqs`)
  expect(await window.evaluate('Object.keys(sessionStorage)')).toEqual([])

  // The page shows the refusal of the provider, and the administrator keeps the password.
  idp.signsIn(undefined)
  const other = await stage.open()
  await other.goto('/console')
  await other.getByLabel('E-mail address').fill('ada@company.example.net')
  await other.getByRole('button', { name: 'Continue' }).click()
  await other.getByText('did not sign you in').waitFor()
  await checkScreen(other)
  await other.getByRole('button', { name: 'Use a password' }).click()
  await other.getByLabel('Password', { exact: true }).waitFor()
  await other.getByLabel('E-mail address').fill('ada@company.example.net')
  await other.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD)
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
}, 60_000)

test('an address of a domain without a provider is asked for its password', async () => {
  const member = await (await stage.market.organization(['CONSUMER'])).member('Buyer')
  const page = await stage.open()
  await page.goto('/console')
  await fillSignIn(page, member.email)
  await page.getByRole('heading', { level: 1, name: 'Waiting for you' }).waitFor()
}, 60_000)
