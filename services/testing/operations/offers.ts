import { newId } from '../../kit/db/ids.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { offerBody } from '../offers.ts'
import { created } from './record-kind.ts'
import { invitationOf, inviteeOf, rfqAfter } from './rfqs.ts'

/** An offer of the account's organization to an organization that is no account, after the lifecycle commands. */
export async function createOffer(
  fixtures: Fixtures,
  account: Account,
  factoryId: string,
  ...verbs: string[]
): Promise<string> {
  const rfqId = await invitationOf(fixtures, account)
  return created(fixtures, account, '/flows/v1/offers', offerBody(rfqId, factoryId), verbs)
}

/** A submitted offer of an organization that is no account, for an RFQ of the account's organization. */
export async function receivedOffer(fixtures: Fixtures, account: Account): Promise<string> {
  const id = newId('offer')
  const [rfqId, manufacturer] = [await rfqAfter(fixtures, account, 'publish'), await inviteeOf(fixtures)]
  await fixtures.market.db.owner`
    insert into sourcing.offers (
      id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency,
      price_breaks, valid_until, revision, created_at, submitted_at, updated_at)
    select ${id}, id, part_id, ${manufacturer}, consumer_org_id, ip_owner_org_id, ${newId('factory')}, 'SUBMITTED',
      terms ->> 'currency', '[{"minQuantity":1,"unitPrice":"120","leadTimeDays":21}]', now() + interval '1 day', 1, now(), now(), now()
    from sourcing.rfqs where id = ${rfqId}`
  return id
}
