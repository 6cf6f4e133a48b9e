import { describe, expect, test } from 'bun:test'
import type { InboxItem } from '../../../proto/http/sourcing/inbox.ts'
import { newId } from '../../kit/db/ids.ts'
import { ApiClient } from '../../testing/client.ts'
import { emailInvitationWorld } from '../../testing/email-invitations.ts'
import { newAddress } from '../../testing/mail/market.ts'
import { entriesOf, type Page, type Problem } from '../../testing/people.ts'
import { rfqsOf } from '../../testing/rfqs.ts'
import { openSession } from '../../testing/sessions.ts'

const { market, server, parties, newBuyer, linkTo, redeem, introspect } = await emailInvitationWorld()
const { owner } = market.db
const { ipOwner, maker, stranger } = parties

const LINKS = '/flows/v1/email-invitations'
const DAY_MS = 24 * 60 * 60 * 1000

describe('an invitation by e-mail', () => {
  test('is redeemed by an administrator, confirmed by the consumer, and only then the RFQ can be read', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const email = newAddress()
    const answer = await buyer.invite(id, { emails: [email] })
    expect([answer.status, answer.body.manufacturerIds]).toEqual([200, []])
    const token = await linkTo(email)
    const [pending] = await buyer.list(id)
    expect(pending).toEqual({
      id: expect.stringMatching(/^emailInvitation_/),
      rfqId: id,
      email,
      state: 'PENDING',
      createdTime: expect.any(String),
      expireTime: expect.any(String),
    })
    expect(Date.parse(pending?.expireTime ?? '') - Date.parse(pending?.createdTime ?? '')).toBe(30 * DAY_MS)

    const shown = await introspect(token)
    const { name } = (await buyer.client.get<{ name: string }>(`/v1/orgs/${buyer.orgId}`)).body
    const { serialNumber } = (await buyer.rfqs.read(id)).body
    expect(shown.body).toEqual({
      consumerName: name,
      rfqSerialNumber: serialNumber,
      expireTime: pending?.expireTime ?? '',
    } as never)
    expect((await redeem(maker, token)).text).toBe(shown.text)
    expect((await rfqsOf(maker.administrator.client).read(id)).status).toBe(404)
    expect((await buyer.rfqs.read(id)).body.manufacturerIds).toEqual([])
    const [redeemed] = await buyer.list(id)
    expect(redeemed).toMatchObject({
      state: 'REDEEMED',
      orgId: maker.orgId,
      orgName: expect.any(String),
      orgRegionCode: 'NO',
    })
    const inbox = (await buyer.client.get<Page<InboxItem>>('/flows/v1/inbox?kind=INVITATION_TO_CONFIRM')).body.items
    expect(inbox).toMatchObject([
      { record: { type: 'emailInvitation', id: redeemed?.id ?? '' }, parent: { type: 'rfq', id }, title: 'Impeller' },
    ])

    const confirmed = await buyer.decide(id, redeemed?.id ?? '', 'confirm')
    expect([confirmed.status, confirmed.body.state]).toEqual([200, 'CONFIRMED'])
    expect((await buyer.rfqs.read(id)).body.manufacturerIds).toEqual([maker.orgId])
    expect((await buyer.client.get<Page<InboxItem>>('/flows/v1/inbox?kind=INVITATION_TO_CONFIRM')).body.items).toEqual(
      [],
    )
    expect((await buyer.rfqs.act(id, 'publish')).status).toBe(200)
    expect((await rfqsOf(maker.administrator.client).read(id)).status).toBe(200)
    expect((await buyer.decide(id, redeemed?.id ?? '', 'confirm')).status).toBe(409)
  })

  test('stays PENDING for a registered and an unknown address, and both get the same mail', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const known = `${crypto.randomUUID()}@example.org`
    await market.organization(['MANUFACTURER'], {
      administrator: { email: known, givenName: 'Ida', familyName: 'Holm' },
    })
    const unknown = newAddress()
    const answer = await buyer.invite(id, { emails: [known, unknown] })
    expect(answer.status).toBe(200)
    const [toKnown, toUnknown] = await Promise.all([server.arrived(known, 1), server.arrived(unknown, 1)])
    const textOf = ([mail]: typeof toKnown) => mail?.mail.text?.replace(/#[\w-]{43}/, '#')
    expect(textOf(toKnown)).toBe(textOf(toUnknown) ?? 'no mail')
    const listed = await buyer.list(id)
    expect(listed.map(({ state, orgId }) => [state, orgId])).toEqual([
      ['PENDING', undefined],
      ['PENDING', undefined],
    ])
  })

  test('of an OPEN RFQ invites the organization at once, and it is notified like other invitees', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created({ manufacturerIds: [parties.rival.orgId] })
    expect((await buyer.rfqs.act(id, 'publish')).status).toBe(200)
    const email = newAddress()
    await buyer.invite(id, { emails: [email] })
    await redeem(maker, await linkTo(email))
    const [{ id: invitationId = '' } = {}] = await buyer.list(id)
    expect((await buyer.decide(id, invitationId, 'confirm')).status).toBe(200)
    const { body } = await rfqsOf(maker.administrator.client).read(id)
    expect([body.id, body.invitation?.state]).toEqual([id, 'INVITED'])
  })
})

describe('the link of an invitation', () => {
  test('is refused to an organization that is invited already (409)', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created({ manufacturerIds: [maker.orgId] })
    expect((await buyer.rfqs.act(id, 'publish')).status).toBe(200)
    const email = newAddress()
    await buyer.invite(id, { emails: [email] })
    const token = await linkTo(email)
    const answer = await redeem(maker, token)
    expect([answer.status, answer.body.detail]).toEqual([409, 'Your organization is already invited to this RFQ.'])
    expect((await redeem(parties.rival, token)).status).toBe(200)
  })

  test('works once, also for two administrators at the same time', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const email = newAddress()
    await buyer.invite(id, { emails: [email] })
    const token = await linkTo(email)
    const answers = await Promise.all([redeem(maker, token), redeem(parties.rival, token)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect((await redeem(maker, token)).status).toBe(404)
    expect((await introspect(token)).status).toBe(404)
  })

  test('is refused during an impersonation, because the consumer learns the organization for good', async () => {
    const buyer = await newBuyer()
    const email = newAddress()
    await buyer.invite(await buyer.created(), { emails: [email] })
    const act = { actingEmail: 'support@example.com', grantId: newId('grant') }
    const support = new ApiClient(market.url, (await openSession(market, maker.administrator, act)).accessToken)
    const token = await linkTo(email)
    expect((await support.post<Problem>(`${LINKS}/redeem`, { token })).body.code).toBe('forbidden')
    expect((await redeem(maker, token)).status).toBe(200)
  })

  test('is refused without `org:admin`, without the role MANUFACTURER, by the consumer itself, and unknown', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const email = newAddress()
    await buyer.invite(id, { emails: [email] })
    const token = await linkTo(email)
    const member = await maker.member('Manufacturer')
    expect((await member.client.post<Problem>(`${LINKS}/redeem`, { token })).body.code).toBe('forbidden')
    const ofOthers = [await redeem(ipOwner, token), await redeem(buyer.org, token)]
    expect(ofOthers.map(({ status, body }) => [status, body.code])).toEqual([
      [409, 'conflict'],
      [409, 'conflict'],
    ])
    expect((await redeem(maker, `${token.slice(0, -1)}_`)).status).toBe(404)
    expect((await market.anonymous.post(`${LINKS}/redeem`, { token })).status).toBe(401)
    expect((await redeem(maker, token)).status).toBe(200)
  })

  test.each(['revoked', 'expired', 'of a deleted draft', 'of a closed RFQ'])('%s is not found', async (reason) => {
    const buyer = await newBuyer()
    const id = await buyer.created({ manufacturerIds: [parties.rival.orgId] })
    const email = newAddress()
    await buyer.invite(id, { emails: [email] })
    const token = await linkTo(email)
    const [{ id: invitationId = '' } = {}] = await buyer.list(id)
    if (reason === 'revoked') expect((await buyer.decide(id, invitationId, 'revoke')).body.state).toBe('REVOKED')
    if (reason === 'expired') {
      await owner`update sourcing.email_invitations set expires_at = now() where id = ${invitationId}`
      expect((await buyer.list(id))[0]?.state).toBe('EXPIRED')
    }
    if (reason === 'of a deleted draft') expect((await buyer.rfqs.remove(id)).status).toBe(204)
    if (reason === 'of a closed RFQ') {
      expect((await buyer.rfqs.act(id, 'publish')).status).toBe(200)
      expect((await buyer.rfqs.act(id, 'close')).status).toBe(200)
    }
    expect([(await introspect(token)).status, (await redeem(maker, token)).status]).toEqual([404, 404])
  })
})

test('an expired invitation stays EXPIRED when its address is invited again, and is not revoked', async () => {
  const buyer = await newBuyer()
  const id = await buyer.created()
  const email = newAddress()
  await buyer.invite(id, { emails: [email] })
  const [first] = await buyer.list(id)
  await owner`update sourcing.email_invitations set expires_at = now() where id = ${first?.id ?? ''}`
  const revoked = await buyer.decide(id, first?.id ?? '', 'revoke')
  expect([revoked.status, revoked.body.code]).toEqual([409, 'illegal_transition'])
  await buyer.invite(id, { emails: [email] })
  const states = (await buyer.list(id)).map(({ state, decidedTime }) => [state, decidedTime])
  expect(states).toEqual([
    ['PENDING', undefined],
    ['EXPIRED', undefined],
  ])
})

describe('the consumer', () => {
  test('revokes an invitation that an organization has redeemed, which is then not invited', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    const email = newAddress()
    await buyer.invite(id, { emails: [email] })
    await redeem(stranger, await linkTo(email))
    const [{ id: invitationId = '' } = {}] = await buyer.list(id)
    expect((await buyer.decide(id, invitationId, 'revoke')).status).toBe(200)
    expect((await buyer.decide(id, invitationId, 'confirm')).body.code).toBe('illegal_transition')
    expect((await buyer.rfqs.read(id)).body.manufacturerIds).toEqual([])
  })

  test('revokes an invitation with one event, and none where it is refused', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    await buyer.invite(id, { emails: [newAddress()] })
    const [{ id: invitationId = '' } = {}] = await buyer.list(id)
    expect((await buyer.decide(id, invitationId, 'revoke')).status).toBe(200)
    expect((await buyer.decide(id, invitationId, 'revoke')).status).toBe(409)
    const emitted = await owner<{ tenant_id: string; data: string }[]>`
      select tenant_id, data from sourcing.outbox
      where type = 'sourcing.rfq.emailInvitationRevoked' and subject = ${id}`
    const { partId, ipOwnerOrgId } = (await buyer.rfqs.read(id)).body
    expect(emitted.map(({ tenant_id: tenantId, data }) => [tenantId, JSON.parse(data)])).toEqual([
      [buyer.orgId, { rfqId: id, partId, consumerOrgId: buyer.orgId, ipOwnerOrgId, emailInvitationId: invitationId }],
    ])
  })

  test('with a distributor cannot confirm an organization of which no factory is released to it (409)', async () => {
    const distributor = await market.organization(['DISTRIBUTOR'])
    const buyer = await newBuyer({ distributorOrgId: distributor.orgId })
    const id = await buyer.created()
    const email = newAddress()
    await buyer.invite(id, { emails: [email] })
    await redeem(maker, await linkTo(email))
    const [{ id: invitationId = '' } = {}] = await buyer.list(id)
    expect((await buyer.decide(id, invitationId, 'confirm')).body.code).toBe('conflict')
    expect((await buyer.list(id))[0]?.state).toBe('REDEEMED')
  })

  test('of a cancelled RFQ has no invitation in its inbox', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created({ manufacturerIds: [parties.rival.orgId] })
    const email = newAddress()
    await buyer.rfqs.act(id, 'publish')
    await buyer.invite(id, { emails: [email] })
    await redeem(maker, await linkTo(email))
    const waiting = async () =>
      (await buyer.client.get<Page<InboxItem>>('/flows/v1/inbox?kind=INVITATION_TO_CONFIRM')).body.items.length
    expect(await waiting()).toBe(1)
    expect((await buyer.rfqs.act(id, 'cancel', { reason: 'Sold.' })).status).toBe(200)
    expect(await waiting()).toBe(0)
  })

  test('confirms no PENDING invitation (409), and other organizations find neither list nor invitation', async () => {
    const buyer = await newBuyer()
    const id = await buyer.created()
    await buyer.invite(id, { emails: [newAddress()] })
    const [{ id: invitationId = '' } = {}] = await buyer.list(id)
    expect((await buyer.decide(id, invitationId, 'confirm')).status).toBe(409)
    const other = await newBuyer()
    const path = `/flows/v1/rfqs/${id}/email-invitations`
    const answers = [
      await other.client.get(path),
      await other.client.post(`${path}/${invitationId}/confirm`),
      await other.client.post(`${path}/${invitationId}/revoke`),
      await ipOwner.administrator.client.get(path),
      // An own RFQ, and the invitation of another one.
      await other.client.post(`/flows/v1/rfqs/${await other.created()}/email-invitations/${invitationId}/revoke`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect((await buyer.list(id))[0]?.state).toBe('PENDING')
  })
})

test('the audit log of each organization has its steps, without the address', async () => {
  const buyer = await newBuyer()
  const made = await market.organization(['MANUFACTURER'])
  const id = await buyer.created()
  const email = newAddress()
  await buyer.invite(id, { emails: [email] })
  await redeem(made, await linkTo(email))
  const [{ id: invitationId = '' } = {}] = await buyer.list(id)
  await buyer.decide(id, invitationId, 'confirm')
  const requestsOf = async (orgId: string, procedure: string) =>
    (await entriesOf(market, orgId, procedure)).map(({ request }) => request)
  expect(await requestsOf(buyer.orgId, 'rfq.invite')).toEqual([{ id, emailInvitationIds: [invitationId] }])
  expect(await requestsOf(buyer.orgId, 'rfq.emailInvitation.confirm')).toEqual([
    { id, invitationId, manufacturerOrgId: made.orgId },
  ])
  expect(await requestsOf(made.orgId, 'emailInvitation.redeem')).toEqual([{ invitationId }])
})
