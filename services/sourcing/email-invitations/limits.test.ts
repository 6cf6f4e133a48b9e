import { describe, expect, test } from 'bun:test'
import { emailInvitationWorld } from '../../testing/email-invitations.ts'
import { newAddress } from '../../testing/mail/market.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { rfqParties } from '../../testing/rfqs.ts'
import { cleanUpEmailInvitations } from './commands.ts'

const { market, server, parties, newBuyer, linkTo, redeem } = await emailInvitationWorld()
const { owner } = market.db
const { maker } = parties

const DAY_MS = 24 * 60 * 60 * 1000
const NO_SIGNAL = new AbortController().signal

describe('the consumer', () => {
  test('invites an address with a live invitation once, in any spelling, and again once it was revoked', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const email = newAddress()
    await buyer.invite(id, { emails: [email, email.toUpperCase()] })
    await buyer.invite(id, { emails: [email] })
    const [first, ...others] = await buyer.list(id)
    expect(others).toEqual([])
    await buyer.decide(id, first?.id ?? '', 'revoke')
    await buyer.invite(id, { emails: [email] })
    expect((await buyer.list(id)).map(({ state }) => state)).toEqual(['PENDING', 'REVOKED'])
  })

  test('invites 20 addresses in 24 hours, also beside each other; the 21st is refused, and nothing is stored', async () => {
    const buyer = await newBuyer()
    const [first, second] = [await buyer.created(), await buyer.created()]
    const addresses = (count: number) => Array.from({ length: count }, newAddress)
    const answers = await Promise.all([
      buyer.invite(first, { emails: addresses(12) }),
      buyer.invite(second, { emails: addresses(12) }),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('limit_reached')
    expect((await buyer.list(first)).length + (await buyer.list(second)).length).toBe(12)
    expect((await buyer.invite(first, { emails: addresses(8) })).status).toBe(200)
    expect((await buyer.invite(second, { emails: addresses(1) })).body.code).toBe('limit_reached')
    await owner`update sourcing.email_invitations set created_at = created_at - interval '24 hours' where org_id = ${buyer.orgId}`
    expect((await buyer.invite(second, { emails: addresses(1) })).status).toBe(200)
  })

  test('counts the addresses of deleted drafts', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const addresses = (count: number) => Array.from({ length: count }, newAddress)
    expect((await buyer.invite(id, { emails: addresses(20) })).status).toBe(200)
    expect((await buyer.rfqs.remove(id)).status).toBe(204)
    expect((await buyer.invite(await buyer.created(), { emails: addresses(1) })).body.code).toBe('limit_reached')
  })

  test('gets 400 for a body with neither manufacturers nor addresses, and for what is no address', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const fieldsOf = async (body: object) => (await buyer.invite(id, body)).body.errors?.map(({ field }) => field)
    expect(await fieldsOf({})).toEqual(['body'])
    expect(await fieldsOf({ emails: [newAddress(), 'a＠b@example.org'] })).toEqual(['emails.1'])
    expect(await fieldsOf({ emails: [] })).toEqual(['emails'])
    expect(await buyer.list(id)).toEqual([])
  })

  test('gets 400 for what is no address before 409 for an RFQ that has ended', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    await buyer.rfqs.act(id, 'cancel', { reason: 'Sold.' })
    expect((await buyer.invite(id, { emails: [newAddress()] })).status).toBe(409)
    const answer = await buyer.invite(id, { manufacturerIds: [maker.orgId], emails: ['a＠b@example.org'] })
    expect([answer.status, answer.body.errors?.map(({ field }) => field)]).toEqual([400, ['emails.0']])
  })
})

describe('an address', () => {
  const mailsTo = (email: string) => owner<{ due_in: number }[]>`
    select round(extract(epoch from j.due_at - m.created_at) / 3600)::int as due_in
    from organization.mails m
    join sourcing.email_invitations i on i.id = m.email_invitation_id
    left join organization.jobs j on j.kind = 'mail' and j.id = m.id
    where i.email = ${email} order by m.created_at`

  test('gets three such mails in 24 hours from one organization', async () => {
    const email = newAddress()
    const buyer = await newBuyer()
    for (let n = 0; n < 4; n += 1) await buyer.invite(await buyer.created(), { emails: [email] })
    const later = newAddress()
    await buyer.invite(await buyer.created(), { emails: [later] })
    // Events are handled in their order, so that the mail that is not sent came before this one.
    await server.arrived(later, 1)
    expect((await server.arrived(email, 3)).length).toBe(3)
    expect((await mailsTo(email)).length).toBe(3)
  })

  test('gets three an hour from all organizations: those of others wait, and are not suppressed', async () => {
    const email = newAddress()
    const rival = await newBuyer()
    for (let n = 0; n < 3; n += 1) await rival.invite(await rival.created(), { emails: [email] })
    await server.arrived(email, 3)
    const buyer = await newBuyer()
    await buyer.invite(await buyer.created(), { emails: [email] })
    const later = newAddress()
    await buyer.invite(await buyer.created(), { emails: [later] })
    await server.arrived(later, 1)
    expect((await mailsTo(email)).map(({ due_in: hours }) => hours)).toEqual([null, null, null, 1] as never)
  })

  test('that was invited keeps its links to the account', async () => {
    const org = await market.organization(['MANUFACTURER'])
    const rival = await newBuyer()
    for (let n = 0; n < 3; n += 1) {
      await rival.invite(await rival.created(), { emails: [org.administrator.email] })
    }
    await server.arrived(org.administrator.email, 3)
    const { client } = await org.member('Administrator')
    const answer = await client.post(`/flows/v1/users/${org.administrator.userId}/reset-password`, { mail: true })
    expect(answer.status).toBe(200)
  })
})

test('invitations are deleted 90 days after their expiry or decision, except those that wait for the consumer', async () => {
  const buyer = await newBuyer()
  const id = await buyer.created()
  const emails = [newAddress(), newAddress(), newAddress()] as const
  await buyer.invite(id, { emails: [...emails] })
  await redeem(maker, await linkTo(emails[0]))
  const byEmail = new Map((await buyer.list(id)).map((each) => [each.email, each.id]))
  await buyer.decide(id, byEmail.get(emails[1]) ?? '', 'revoke')
  const cleanUp = (days: number) =>
    cleanUpEmailInvitations(owner, new Date(Date.now() + days * DAY_MS).toISOString(), NO_SIGNAL)
  const left = async () => (await buyer.list(id)).map(({ email }) => emails.indexOf(email)).toSorted()
  await cleanUp(89)
  expect(await left()).toEqual([0, 1, 2])
  await cleanUp(91)
  expect(await left()).toEqual([0, 2])
  await cleanUp(121)
  expect(await left()).toEqual([0])
  await buyer.rfqs.remove(id)
  await cleanUp(121)
  expect((await owner`select from sourcing.email_invitations where org_id = ${buyer.orgId}`).length).toBe(0)
})

test('where no mail is sent, addresses are refused and manufacturers are not', async () => {
  const silent = await marketplaceOf(['sourcing'])
  const others = await rfqParties(silent)
  const id = await others.draft()
  expect((await others.buyer.act(id, 'invite', { emails: [newAddress()] })).body.code).toBe('mail_unavailable')
  expect((await others.buyer.act(id, 'invite', { manufacturerIds: [others.rival.orgId] })).status).toBe(200)
})

test('a mail whose invitation was revoked is not sent', async () => {
  const buyer = await newBuyer()
  const id = await buyer.created()
  const email = newAddress()
  // The address is invited and revoked before the event is handled, or before the mail is sent.
  await owner.begin(async (tx) => {
    await tx`lock table organization.email_invitation_links in access exclusive mode`
    await buyer.invite(id, { emails: [email] })
    const [{ id: invitationId = '' } = {}] = await buyer.list(id)
    await buyer.decide(id, invitationId, 'revoke')
  })
  const later = newAddress()
  await buyer.invite(id, { emails: [later] })
  await server.arrived(later, 1)
  const mails = await owner`
    select from organization.mails m join sourcing.email_invitations i on i.id = m.email_invitation_id
    where i.email = ${email} and m.state = 'SENT'`
  expect(mails.length).toBe(0)
})
