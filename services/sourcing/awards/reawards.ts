import type * as api from '../../../proto/http/sourcing/awards.ts'
import type { AwardedRfq } from '../../../proto/http/sourcing/awards.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { causeOf, emitRfqEvent } from '../rfqs/events.ts'
import { type AwardDeps, acceptOffers, placeOrders } from './commands.ts'
import { lockAwardable } from './plans.ts'
import { markAwarded, updateAward } from './queries.ts'
import { AWARD_FIELDS } from './rules.ts'

/** Places missing pieces of an awarded RFQ; of concurrent reawards the second sees what is still missing. */
export async function reawardRfq(
  deps: AwardDeps,
  { tx, caller: { orgId }, params, body, now, audit }: CommandOf<typeof api.reawardRfq>,
): Promise<AwardedRfq> {
  const { awards } = body
  const plan = await lockAwardable(tx, 'reaward', { orgId, rfqId: params.id, ...body, fields: AWARD_FIELDS, now })
  const { rfq } = plan
  const missing = (rfq.missingQuantity ?? 0) - awards.reduce((sum, { quantity }) => sum + quantity, 0)
  const acceptedIds = awards.map(({ offerId }) => offerId)
  const awardedOfferIds = [...new Set([...rfq.awardedOfferIds, ...acceptedIds])]
  await markAwarded(tx, rfq.id, awardedOfferIds)
  const award = { state: rfq.state, awardedOfferIds, missingQuantity: missing > 0 ? missing : null }
  const [{ document }] = await updateAward(tx, rfq.id, award, now)
  await emitRfqEvent(tx, 'reawarded', rfq)
  const ended = await acceptOffers(tx, rfq.id, { acceptedIds, isComplete: missing === 0 }, now)
  const orders = await placeOrders(tx, plan)
  audit.add({ orderIds: orders.map(({ id }) => id) })
  await deps.followers.openAssignments(tx, orders)

  const winners = plan.lines.map(({ offer }) => offer.manufacturer_org_id)
  const losers = ended.filter(({ state }) => state !== 'ACCEPTED').map((offer) => offer.manufacturer_org_id)
  const keptFor = [rfq.ipOwnerOrgId, ...winners, ...(missing > 0 ? [rfq.consumerOrgId] : [])]
  const orgIds = [rfq.consumerOrgId, rfq.ipOwnerOrgId, ...winners, ...losers]
  const change = { rfqId: rfq.id, orgIds, cause: causeOf('reawarded', rfq), ends: true, keptFor, resumedFor: winners }
  await deps.followers.updateCases(tx, [change], now)
  return { ...JSON.parse(document), orders }
}
