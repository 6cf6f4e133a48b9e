import { expect, test } from 'bun:test'
import type { Registration } from '../../../proto/http/organization/registrations.ts'
import { marketplaceWithMail, newAddress, PUBLIC_URL, tokenIn } from '../../testing/mail/market.ts'

const PATH = '/flows/v1/registrations'
const world = await marketplaceWithMail([], { REGISTRATION: 'approval' })
const { market, server } = world
const operator = await market.operator()

const register = async (email: string) => {
  const organization = { name: `Works ${email.slice(0, 8)}`, regionCode: 'DK', roles: ['MANUFACTURER'] }
  const { status } = await market.anonymous.post(PATH, {
    organization,
    user: { email, givenName: 'Ida', familyName: 'Holm' },
  })
  expect(status).toBe(204)
}
const linkTo = async (email: string) => {
  const mail = (await server.arrived(email, 1)).at(-1)
  if (!mail) throw new Error('no mail')
  return tokenIn(mail, `${PUBLIC_URL}/console/register#`)
}
const confirm = (token: string) => market.anonymous.post<{ state: Registration['state'] }>(`${PATH}/confirm`, { token })

test('the operator gets one mail for the registrations that wait, and none for one that is not confirmed', async () => {
  const address = await world.confirmed(operator)
  const unconfirmed = newAddress()
  await register(unconfirmed)
  await linkTo(unconfirmed)
  for (const email of [newAddress(), newAddress()]) {
    await register(email)
    expect((await confirm(await linkTo(email))).body.state).toBe('PENDING')
  }
  expect(await world.collected(address, 1)).toEqual(['registrationPending'])
  await world.release()
  const { mail } = (await server.arrived(address.email, 1)).at(-1) ?? {}
  expect(mail?.text).toContain('A company has registered and waits for your decision')
  expect(mail?.text).toContain(`${PUBLIC_URL}/console/organization/registrations`)
})

test('registrations that are confirmed at the same time are one item of each mail', async () => {
  const addresses = [await world.confirmed(operator), await world.confirmed(operator)]
  const emails = Array.from({ length: 8 }, () => newAddress())
  // A network sends twenty requests an hour.
  await market.db.owner`update organization.registrations set network = '192.0.2.1'`
  for (const email of emails) await register(email)
  const links = await Promise.all(emails.map((email) => linkTo(email)))
  const answers = await Promise.all(links.map((link) => confirm(link)))
  expect(answers.map(({ status, body }) => [status, body.state])).toEqual(emails.map(() => [200, 'PENDING']))
  for (const address of addresses) expect(await world.collected(address, 1)).toEqual(['registrationPending'])
})
