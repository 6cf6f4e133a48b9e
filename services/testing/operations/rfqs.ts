import type { OrgRole } from '../../../proto/permissions.ts'
import { newId, newSerialNumber } from '../../kit/db/ids.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { insertQuestions } from '../questions.ts'
import { publishedPart, rfqBody } from '../rfqs.ts'
import { administratorOf, CONSUMERS, created } from './record-kind.ts'

/** A manufacturer that is no account of the tests, so that no account can read a foreign RFQ as its invitee. */
export const inviteeOf = (fixtures: Fixtures): Promise<string> =>
  fixtures.once('invitee', () => insertOrganization(fixtures, 'MANUFACTURER'))

/** An organization without users. */
export async function insertOrganization({ market }: Fixtures, role: OrgRole): Promise<string> {
  const id = newId('org')
  await market.db.owner`
    insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
    values (${id}, 'Outsider', ${[role]}, 'NO', 'DIRECT', now())`
  return id
}

/** An internal part of an IP owner, or a public one for other organizations. All RFQs of the tests have it. */
const partFor = (fixtures: Fixtures, owner: Account, internal: boolean): Promise<string> =>
  fixtures.once(`part for ${internal ? owner.kind : 'consumer'}`, async () =>
    publishedPart(await fixtures.clientOf(owner), { internal }),
  )

/**
 * An RFQ of the account's organization for an internal part of its own, or for a public one of another organization,
 * after the lifecycle commands.
 */
export async function rfqAfter(fixtures: Fixtures, account: Account, ...verbs: string[]): Promise<string> {
  const administrator = await fixtures.account(account.kind, 'administrator')
  const isIpOwner = administrator.permissions.has('part:create')
  const owner = isIpOwner ? administrator : await fixtures.account('owner', 'administrator')
  const partId = await partFor(fixtures, owner, isIpOwner)
  return created(fixtures, account, '/flows/v1/rfqs', await bodyFor(fixtures, partId), verbs)
}

const bodyFor = async (fixtures: Fixtures, partId: string) =>
  rfqBody(partId, { manufacturerIds: [await inviteeOf(fixtures)] })

/** An open RFQ of the account, or of a consumer. */
async function openRfq(fixtures: Fixtures, account: Account) {
  const isConsumer = CONSUMERS.includes(account.kind)
  const consumer = isConsumer ? account : await fixtures.account('consumer', 'administrator')
  return { orgId: consumer.orgId, rfqId: await rfqAfter(fixtures, consumer, 'publish') }
}

/** An open RFQ with an unanswered question of an organization that is no account. */
export async function askedQuestion(fixtures: Fixtures, account: Account) {
  const { rfqId } = await openRfq(fixtures, account)
  const [questionId = ''] = await insertQuestions(fixtures.market, { rfqId, orgId: await inviteeOf(fixtures) })
  return { rfqId, questionId }
}

/** An earlier invitation to an open RFQ. `hash`: that of its link, not yet used. */
export async function emailInvitation(fixtures: Fixtures, account: Account, hash?: Uint8Array) {
  const { orgId, rfqId } = await openRfq(fixtures, account)
  const [invitationId, { owner }] = [newId('emailInvitation'), fixtures.market.db]
  const email = `${invitationId.toLowerCase()}@example.org`
  const redeemer = hash ? null : await inviteeOf(fixtures)
  await owner`
    insert into sourcing.email_invitations
      (id, rfq_id, org_id, email, email_key, state, redeemed_by_org_id, redeemed_at, created_at, expires_at)
    values (${invitationId}, ${rfqId}, ${orgId}, ${email}, ${email}, ${hash ? 'PENDING' : 'REDEEMED'}, ${redeemer},
      case when ${redeemer}::text is not null then now() end, now() - interval '2 days', now() + interval '1 day')`
  if (hash) {
    await owner`
      insert into organization.email_invitation_links (token_hash, invitation_id, expires_at)
      values (${Buffer.from(hash)}, ${invitationId}, now() + interval '1 day')`
  }
  return { rfqId, invitationId }
}

/** A part of the account with an open RFQ. */
export async function partWithOpenRfq(fixtures: Fixtures, account: Account): Promise<string> {
  const partId = await publishedPart(await administratorOf(fixtures, account), { internal: true })
  await created(fixtures, account, '/flows/v1/rfqs', await bodyFor(fixtures, partId), ['publish'])
  return partId
}

/** An open RFQ of the account for its own part, with terms that its invitee has accepted. */
export async function confidentialRfq(fixtures: Fixtures, account: Account): Promise<string> {
  const partId = await publishedPart(await administratorOf(fixtures, account), { internal: true })
  const body = { ...(await bodyFor(fixtures, partId)), confidentialityTerms: 'Do not pass it on.' }
  const id = await created(fixtures, account, '/flows/v1/rfqs', body, ['publish'])
  const { owner } = fixtures.market.db
  await owner`
    insert into sourcing.rfq_acceptances (rfq_id, org_id, accepted_at, terms_sha256)
    select rfq_id, org_id, now(), 'digest' from sourcing.rfq_invitations where rfq_id = ${id}`
  await owner`update sourcing.rfq_invitations set awaits_acceptance = false where rfq_id = ${id}`
  return id
}

/** An open RFQ with terms that the account's organization is invited to accept. */
export async function termsFor(fixtures: Fixtures, account: Account): Promise<string> {
  const id = await invitationOf(fixtures, account)
  const { owner } = fixtures.market.db
  await owner`
    update sourcing.rfqs set terms = (terms::jsonb || '{"confidentialityTerms":"Do not pass it on."}')::json where id = ${id}`
  await owner`update sourcing.rfq_invitations set awaits_acceptance = true where rfq_id = ${id}`
  return id
}

/** An open RFQ of an organization that is no account, with an invitation of the account's organization. */
export async function invitationOf(fixtures: Fixtures, { orgId }: Account): Promise<string> {
  const [id, outsider] = [newId('rfq'), await insertOrganization(fixtures, 'CONSUMER')]
  const { owner } = fixtures.market.db
  await owner`
    insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state,
      terms, manufacturer_ids, expires_at, created_at, updated_at, published_at)
    values (${id}, ${newSerialNumber('R')}, ${newId('part')}, ${newSerialNumber('P')}, ${outsider}, ${outsider}, 'OPEN',
      '{"currency":"EUR","deliveryRegionCode":"DK","quantities":[10],"sealed":false}', ${[orgId]}, now() + interval '1 day', now(), now(), now())`
  await owner`
    insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at) values (${id}, ${orgId}, now())`
  return id
}
