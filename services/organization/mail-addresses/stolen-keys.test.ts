import { expect, test } from 'bun:test'
import type { RevokedServiceAccountKey } from '../../../proto/http/organization/service-accounts.ts'
import { MAIL_ADDRESSES, marketplaceWithMail, newAddress, PUBLIC_URL, tokenIn } from '../../testing/mail/market.ts'
import type { ReceivedMail } from '../../testing/mail/server.ts'
import { eventsOf } from '../../testing/people.ts'
import { ACCOUNTS, clientWith, createdAccount, createdKey } from '../../testing/service-accounts.ts'

const { market, server, confirm } = await marketplaceWithMail()
const { administrator } = await market.organization(['CONSUMER'])
const { client: admin } = administrator
const { body: roles } = await admin.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
const administrators = roles.items.find(({ name }) => name === 'Administrator')?.id as string

const add = async (by = admin) => {
  const { body } = await by.post<{ id: string; email: string }>(MAIL_ADDRESSES, { email: newAddress() })
  const [mail] = await server.arrived(body.email)
  return { id: body.id, token: tokenIn(mail as ReceivedMail, `${PUBLIC_URL}/mail-address#confirm=`) }
}

test('the revocation of a stolen key removes mail addresses without confirmation, and lists the others', async () => {
  const { id } = await createdAccount(admin, { roleIds: [administrators] })
  const key = await createdKey(admin, id)
  const client = await clientWith(market.url, key)
  const [pending, done, ofAdmin] = [await add(client), await add(client), await add()]
  expect((await confirm(done.token)).status).toBe(204)
  await client.post(`${ACCOUNTS}/${id}/keys/${key.clientId}/revoke`)
  const { body } = await admin.post<RevokedServiceAccountKey>(`${ACCOUNTS}/${id}/keys/${key.clientId}/revoke`)
  expect(body.lastingActs.map(({ procedure, subjectId }) => [procedure, subjectId])).toEqual([
    ['mailAddress.create', done.id],
  ])
  expect((await confirm(pending.token)).status).toBe(404)
  expect(await eventsOf(market, pending.id)).toEqual(Array(2).fill('organization.mailAddress.changed'))
  expect((await confirm(ofAdmin.token)).status).toBe(204)
})
