import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { inHours } from '../rfqs.ts'
import { administratorOf, CONSUMERS, created, recordOf } from './record-kind.ts'
import { invitationOf, inviteeOf, rfqAfter, termsFor } from './rfqs.ts'

/** A package of the account with one line, after the verbs. */
async function packageAfter(fixtures: Fixtures, account: Account, ...verbs: string[]): Promise<string> {
  const client = await administratorOf(fixtures, account)
  // The part of an RFQ that the account may create.
  const { body: rfq } = await client.get<{ partId: string }>(`/v1/rfqs/${await rfqAfter(fixtures, account)}`)
  const content = {
    title: 'Pump overhaul',
    lines: [{ partId: rfq.partId, quantities: [10] }],
    manufacturerIds: [await inviteeOf(fixtures)],
    expireTime: inHours(48),
    currency: 'EUR',
    deliveryRegionCode: 'DK',
  }
  return created(fixtures, account, '/flows/v1/rfq-packages', content, verbs)
}

/**
 * A package of an organization that is no account, with an open line to which the account's organization is invited.
 */
export async function packageWithInvitation(fixtures: Fixtures, account: Account, make = invitationOf) {
  const rfqId = await make(fixtures, account)
  const id = newId('package')
  const { owner } = fixtures.market.db
  await owner`
    insert into sourcing.rfq_packages (id, consumer_org_id, title, currency, created_by, created_at, updated_at)
    select ${id}, consumer_org_id, 'Pump overhaul', 'EUR', ${newId('user')}, now(), now() from sourcing.rfqs where id = ${rfqId}`
  await owner`update sourcing.rfqs set package_id = ${id}, package_place = 0 where id = ${rfqId}`
  await owner`update sourcing.rfq_invitations set package_id = ${id} where rfq_id = ${rfqId}`
  return { id, rfqId }
}

/** A package of the account whose line has an offer of a factory that exists. */
export async function offeredPackage(fixtures: Fixtures, account: Account, factoryId: string) {
  const id = await packageAfter(fixtures, account, 'publish')
  const [offerId, manufacturer] = [newId('offer'), await inviteeOf(fixtures)]
  const { owner } = fixtures.market.db
  await owner`
    insert into sourcing.offers (
      id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency,
      price_breaks, valid_until, revision, created_at, submitted_at, updated_at)
    select ${offerId}, id, part_id, ${manufacturer}, consumer_org_id, ip_owner_org_id, ${factoryId}, 'SUBMITTED',
      'EUR', '[{"minQuantity":1,"unitPrice":"120","leadTimeDays":21}]', now() + interval '1 day', 1, now(), now(), now()
    from sourcing.rfqs where package_id = ${id}`
  const [line] = await owner<{ id: string }[]>`select id from sourcing.rfqs where package_id = ${id}`
  return { id, offerId, rfqId: line?.id ?? '' }
}

export const PACKAGE_RECORDS = {
  draftPackage: recordOf(CONSUMERS, 'package', (fixtures, account) => packageAfter(fixtures, account)),
  openPackage: recordOf(CONSUMERS, 'package', (fixtures, account) => packageAfter(fixtures, account, 'publish')),
  invitedPackage: recordOf(
    ['manufacturer', 'otherOwner', 'distributor'],
    'package',
    async (fixtures, account) => (await packageWithInvitation(fixtures, account)).id,
  ),
  packageTerms: recordOf(
    ['manufacturer', 'distributor'],
    'package',
    async (fixtures, account) => (await packageWithInvitation(fixtures, account, termsFor)).id,
  ),
}
