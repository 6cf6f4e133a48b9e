import { expect, test } from 'bun:test'
import { act, checkScreen, consoleStage, fillSignIn, NARROW, press, WIDE } from '../../testing/console.ts'
import { freePort } from '../../testing/free-port.ts'
import { newAddress } from '../../testing/mail/market.ts'
import { TestMailServer } from '../../testing/mail/server.ts'
import { rfqBody, rfqParties, rfqsOf } from '../../testing/rfqs.ts'

// The links of mails begin with PUBLIC_URL.
const port = freePort()
const server = await new TestMailServer().start()
const baseURL = `http://localhost:${port}`
const stage = await consoleStage({
  PORT: String(port),
  PUBLIC_URL: baseURL,
  SMTP_URL: server.url,
  MAIL_FROM: 'no-reply@market.example.com',
})
const { consumer, partId } = await rfqParties(stage.market)

const linkIn = async (email: string) => {
  const [mail] = await server.arrived(email, 1)
  const [link] = new RegExp(`${baseURL}/console/invitation#[\\w-]{43}`).exec(mail?.mail.text ?? '') ?? []
  if (!link) throw new Error(`no link: ${mail?.mail.text}`)
  return link
}

test.each([
  ['wide', WIDE, NARROW],
  ['narrow', NARROW, WIDE],
] as const)(
  'in a %s window a buyer invites an address, whose company answers in the other one and is confirmed',
  async (_, options, otherOptions) => {
    const maker = await stage.market.organization(['MANUFACTURER'], { name: 'Ruhr Präzision' })
    const { body } = await rfqsOf(consumer.administrator.client).create(rfqBody(partId))
    const buyer = await stage.signIn(consumer.administrator, { ...options, baseURL })
    await buyer.goto(`/console/rfqs/${body.id}`)
    const email = newAddress()
    await press(buyer, 'Invite by e-mail')
    const dialog = buyer.getByRole('dialog')
    await dialog.getByLabel('E-mail addresses').fill('no address')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog.getByLabel('E-mail addresses').and(buyer.locator('[aria-invalid=true]')).fill(`${email};`)
    await checkScreen(buyer)
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const section = buyer.getByRole('region', { name: 'Invited by e-mail' })
    await section.getByText(email).waitFor()
    await section.getByText('Not answered yet').waitFor()
    await checkScreen(buyer)
    await press(buyer, 'Publish')
    await dialog.getByText('No invited company has been confirmed yet.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    const visitor = await stage.open({ ...otherOptions, baseURL })
    await visitor.goto(await linkIn(email))
    await visitor.getByRole('heading', { name: /asks you for a quotation/ }).waitFor()
    expect(new URL(visitor.url()).hash).toBe('')
    await visitor.getByRole('link', { name: 'New company? Register here.' }).waitFor()
    await checkScreen(visitor)
    await visitor.getByRole('link', { name: 'Sign in' }).click()
    await visitor.getByLabel('E-mail address').waitFor()
    await fillSignIn(visitor, maker.administrator.email)
    await visitor.getByRole('button', { name: 'Answer for Ruhr Präzision' }).waitFor()
    await checkScreen(visitor)
    await visitor.getByRole('button', { name: 'Answer for Ruhr Präzision' }).click()
    await visitor.getByRole('status').getByText('now knows that Ruhr Präzision is interested').waitFor()

    await buyer.goto('/console')
    await buyer.getByRole('link', { name: 'Impeller' }).first().click()
    await section.getByText('Ruhr Präzision').waitFor()
    await checkScreen(buyer)
    await section.getByRole('button', { name: 'Confirm', exact: true }).click()
    await buyer
      .getByRole('dialog')
      .getByText(`Ruhr Präzision, Norway, used the link that was sent to ${email}.`)
      .waitFor()
    await buyer.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click()
    await section.getByText('Invited', { exact: true }).waitFor()
    await act(buyer, 'Publish')
    await visitor.goto('/console')
    await visitor.getByRole('link', { name: 'Impeller' }).first().waitFor()
    await buyer.context().close()
    await visitor.context().close()
  },
  60_000,
)

test('the page names the next step for a used link, a missing one and a person without `org:admin`', async () => {
  const maker = await stage.market.organization(['MANUFACTURER'], { name: 'Tanjong Castings' })
  const member = await maker.member('Manufacturer')
  const { client } = consumer.administrator
  const { body } = await rfqsOf(client).create(rfqBody(partId))
  const email = newAddress()
  await rfqsOf(client).act(body.id, 'invite', { emails: [email] })
  const link = await linkIn(email)
  const page = await stage.signIn(member, { ...WIDE, baseURL })
  await page.goto(link)
  await page.getByText('Ask an administrator of Tanjong Castings to open the link.').waitFor()
  await checkScreen(page)
  await maker.administrator.client.post('/flows/v1/email-invitations/redeem', { token: link.split('#')[1] })
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
  await page.context().close()

  const visitor = await stage.open({ ...NARROW, baseURL })
  for (const address of [link, '/console/invitation']) {
    await visitor.goto(address)
    await visitor.getByRole('heading', { level: 1, name: 'This link can no longer be used' }).waitFor()
    await checkScreen(visitor)
  }
  await visitor.context().close()
}, 60_000)
