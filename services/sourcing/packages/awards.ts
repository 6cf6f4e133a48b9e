import { problem } from '../../../proto/errors.ts'
import type * as api from '../../../proto/http/sourcing/rfq-package-lifecycle.ts'
import type { AwardedRfqPackage } from '../../../proto/http/sourcing/rfq-package-lifecycle.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireValid } from '../../kit/errors/refusal.ts'
import { type AwardDeps, placeAward, updateCases } from '../awards/commands.ts'
import { type AwardPlan, findSeller, planAward, requireAwardable } from '../awards/plans.ts'
import type { FieldNames } from '../awards/rules.ts'
import { lock } from './commands.ts'
import { ownPackage } from './packages.ts'
import { Refusals } from './refusals.ts'

/** Awards RFQs of a package, all or none. Their rows, then their offers are locked in the order of their ids. */
export async function awardPackage(
  deps: AwardDeps,
  { tx, caller: { orgId }, params: { id }, body, now, audit }: CommandOf<typeof api.awardRfqPackage>,
): Promise<AwardedRfqPackage> {
  const { lines } = await lock(tx, orgId, id)
  const organizations = await findSeller(tx, orgId, body)
  const known = new Set(lines.map(({ rfq }) => rfq.id))
  const unknown = body.awards.flatMap(({ rfqId }, index) =>
    known.has(rfqId) ? [] : [problem(`awards.${index}.rfqId`, noSuch('RFQ', rfqId, 'in this package'))],
  )
  const placed = body.awards.map((award, index) => ({ ...award, index }))
  const awardsOf = Map.groupBy(placed, ({ rfqId }) => rfqId)
  const plans: AwardPlan[] = []
  for (const { rfq } of lines) {
    const awards = awardsOf.get(rfq.id)
    if (!awards) continue
    const fields = fieldsAt(awards.map(({ index }) => index))
    plans.push(await planAward(tx, { rfq, awards, organizations, fields, now }))
  }
  requireValid([...unknown, ...plans.flatMap((plan) => plan.problems), ...organizations.problems])

  const refusals = new Refusals()
  for (const plan of plans) {
    const [first] = awardsOf.get(plan.rfq.id) ?? []
    const line = { name: `awards.${first?.index}.rfqId`, rfqId: plan.rfq.id }
    await refusals.collect(line, () => requireAwardable(tx, plan))
  }
  refusals.throwIfAny()

  const orders: AwardedRfqPackage['orders'] = []
  for (const plan of plans) orders.push(...(await placeAward(deps, tx, plan)).orders)
  await updateCases(deps, tx, plans, now)
  audit.add({ orderIds: orders.map(({ id }) => id) })
  return { ...(await ownPackage(tx, orgId, id)), orders }
}

/** The names of the fields of the awards of one RFQ, which are at these places of the request. */
const fieldsAt = (places: readonly number[]): FieldNames => ({
  offer: (index) => `awards.${places[index]}.offerId`,
  quantity: (index) => `awards.${places[index]}.quantity`,
  quantities: `awards.${places[0]}.quantity`,
})
