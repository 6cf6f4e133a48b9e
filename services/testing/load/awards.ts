import type { Owner } from './owner.ts'

/** The ids of an RFQ of `loadAwardable` and of its offers contain this. */
const awardableNumber = (number: number) => String(number).padStart(24, '0')
export const awardableRfq = (number: number) => `rfq_A0${awardableNumber(number)}`
export const awardableOffer = (number: number) => `offer_A${awardableNumber(number)}1`

interface AwardableToLoad {
  consumerOrgId: string
  partId: string
  factoryId: string
  count: number
}

/**
 * Inserts CLOSED RFQs, each with an invited manufacturer and two submitted offers of it, for load tests. Returns the
 * number of the first one; the RFQs of earlier calls have lower numbers.
 */
export async function loadAwardable(owner: Owner, { consumerOrgId, partId, factoryId, count }: AwardableToLoad) {
  const [{ first }] = await owner<[{ first: number }]>`
    select 1 + count(*)::int as first from sourcing.rfqs where id > 'rfq_A' and id < 'rfq_B'`
  const last = first + count - 1
  await owner`
    insert into sourcing.rfqs (
      id, serial_number, part_id, part_title, part_serial_number, consumer_org_id, ip_owner_org_id, state, terms,
      manufacturer_ids, expires_at, expired, created_at, updated_at, published_at, version, part_revision)
    select 'rfq_A0' || lpad(n::text, 24, '0'), 'A-' || lpad(n::text, 8, '0'), part.id, part.title, part.serial_number,
      ${consumerOrgId}, part.ip_owner_org_id, 'CLOSED',
      '{"currency":"EUR","deliveryRegionCode":"DK","quantities":[10],"sealed":false}', array[factory.org_id],
      now() - interval '1 day', true, now(), now(), now(), 1, part.revision
    from generate_series(${first}::int, ${last}::int) n, sourcing.parts part, sourcing.factories factory
    where part.id = ${partId} and factory.id = ${factoryId}`
  await owner`
    insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at, state, offered_at)
    select id, manufacturer_ids[1], now(), 'OFFERED', now() from sourcing.rfqs
    where id between ${awardableRfq(first)} and ${awardableRfq(last)}`
  await owner`
    insert into sourcing.offers (
      id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency, price_breaks,
      tooling_cost, valid_until, revision, created_at, submitted_at, updated_at, rfq_version, part_revision)
    select 'offer_A' || substr(rfq.id, 7) || k, rfq.id, rfq.part_id, rfq.manufacturer_ids[1], rfq.consumer_org_id,
      rfq.ip_owner_org_id, ${factoryId}, 'SUBMITTED', 'EUR',
      '[{"minQuantity": 1, "unitPrice": "120.5", "leadTimeDays": 21}]', 250, now() + interval '30 days', 1, now(), now(), now(), 1,
      rfq.part_revision
    from sourcing.rfqs rfq cross join generate_series(1, 2) k
    where rfq.id between ${awardableRfq(first)} and ${awardableRfq(last)}`
  await owner`vacuum (analyze) sourcing.rfqs, sourcing.rfq_invitations, sourcing.offers`
  return first
}
