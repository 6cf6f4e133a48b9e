import { afterAll, expect, test } from 'bun:test'
import { messageOf } from '../../../services/organization/mail/message.ts'
import { sendMail, smtpServerOf } from '../../../services/organization/mail/smtp.ts'
import { startMailbox } from './mailbox.ts'

const mailbox = await startMailbox()
afterAll(() => mailbox.stop())

const sender = {
  from: 'Marketplace <no-reply@localhost.example>',
  publicUrl: 'http://localhost:8080',
  hasConsole: true,
  hasRegistration: true,
}
const invitation = {
  id: 'mail_1',
  org_id: 'org_1',
  org_name: 'Skagen <b>Pumps</b>',
  kind: 'INVITATION' as const,
  items: [],
  omitted: 0,
  secret: null,
  attempts: 1,
  sealed_at: '2026-04-29T09:10:00.000Z',
  created_at: '2026-04-29T09:10:00.000Z',
  expires_at: '2026-04-30T09:10:00.000Z',
  link_expires_at: '2026-05-02T09:10:00.000Z',
  email: 'freja@example.com',
  given_name: 'Freja',
  unsubscribe_token: null,
  registration: null,
  is_applicant: false,
  rfq_serial_number: null,
  user_id: null,
}

test('a mail is on the page with its link, and markup in it is text', async () => {
  expect(await (await fetch(mailbox.pageUrl)).text()).toContain('There is none yet.')
  const message = await messageOf(sender, invitation, 'the-token', { rfqs: new Map(), packages: new Map() })
  await sendMail(smtpServerOf(mailbox.smtpUrl), message, 5000)
  const page = await fetch(mailbox.pageUrl)
  const text = await page.text()
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).toContain('To freja@example.com')
  expect(text).toContain('<a href="http://localhost:8080/activate#the-token">')
  expect(text).toContain('until 2026-05-02 09:10 UTC')
  expect(text).not.toContain('<b>')
})
