import type * as api from '../../../proto/http/sourcing/awards.ts'
import type { AwardedRfq } from '../../../proto/http/sourcing/awards.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { invalid } from '../../kit/errors/refusal.ts'
import { emitOfferEvents } from '../offers/events.ts'
import { endAskingOf } from '../offers/queries.ts'
import { causeOf, emitRfqEvent } from '../rfqs/events.ts'
import { lockOwn } from '../rfqs/legality.ts'
import { type AwardDeps, EVENT_NAMES, placeOrders } from './commands.ts'
import { findSeller, planAward, requireAwardable } from './plans.ts'
import { markAwarded } from './queries.ts'
import * as queries from './return-queries.ts'
import { AWARD_FIELDS } from './rules.ts'

/** Places missing pieces of an awarded RFQ; of concurrent reawards the second sees what is still missing. */
export async function reawardRfq(
  deps: AwardDeps,
  { tx, caller: { orgId }, params, body, now, audit }: CommandOf<typeof api.reawardRfq>,
): Promise<AwardedRfq> {
  const { awards } = body
  const { rfq } = await lockOwn(tx, orgId, params.id)
  const organizations = await findSeller(tx, orgId, body)
  const plan = await planAward(tx, { rfq, awards, organizations, fields: AWARD_FIELDS, now })
  const problems = [...plan.problems, ...organizations.problems]
  if (problems.length > 0) throw invalid(problems)
  await requireAwardable(tx, plan, 'reaward')

  const missing = (rfq.missingQuantity ?? 0) - awards.reduce((sum, { quantity }) => sum + quantity, 0)
  const acceptedIds = awards.map(({ offerId }) => offerId)
  const awardedOfferIds = [...new Set([...rfq.awardedOfferIds, ...acceptedIds])]
  await markAwarded(tx, rfq.id, awardedOfferIds)
  const award = { state: rfq.state, awardedOfferIds, missingQuantity: missing > 0 ? missing : null }
  const [{ document }] = await queries.updateAward(tx, rfq.id, award, now)
  const ended = await queries.acceptAndEndOffers(tx, rfq.id, { acceptedIds, isComplete: missing === 0 }, now)
  if (missing === 0) await endAskingOf(tx, [rfq.id])
  await emitRfqEvent(tx, 'reawarded', rfq)
  await emitOfferEvents(
    tx,
    ended.map((offer) => [EVENT_NAMES[offer.state], offer] as const),
  )
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
