import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import { requireGuards } from '../../kit/command/transitions.ts'
import type { Tx } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import * as queries from './queries.ts'
import { type ConsumerVerb, GUARDS, type Invitee, stateAt } from './rules.ts'

/** An RFQ of the caller's organization, locked. */
export interface OwnRfq {
  /** Its JSON for the consumer. */
  document: string
  rfq: Rfq
}

/** An RFQ of the caller's organization, locked. */
export async function lockOwn(tx: Tx, orgId: string, id: string): Promise<OwnRfq> {
  const { document } = found(await queries.lockOwnRfq(tx, orgId, id))
  return { document, rfq: JSON.parse(document) }
}

/**
 * Checks each of several RFQs, one after the other. The verbs of packages collect what is refused, and name the line
 * of each; the verb of one RFQ throws it as it is.
 */
export type EachRfq = (rfqs: readonly Rfq[], check: (rfq: Rfq) => Promise<void>) => Promise<void>

export const inTurn: EachRfq = async (rfqs, check) => {
  for (const rfq of rfqs) await check(rfq)
}

/** Throws 409 for a part that requires a subscription where the consumer has none. */
export function requireSubscription({ needs_subscription: isMissing }: queries.PartRow): void {
  if (isMissing) throw refuse('subscription_required', { detail: 'The part requires a subscription.' })
}

/** The parts that a verb needs, locked, by id. A part that is not available is missing. */
async function lockPartsFor(
  tx: Tx,
  verb: ConsumerVerb,
  rfqs: readonly Rfq[],
): Promise<ReadonlyMap<string, queries.PartRow>> {
  const [first] = rfqs
  if (!first || !RFQ.guards(verb).includes('partIsAvailable')) return new Map()
  const ids = rfqs.map(({ partId }) => partId)
  return new Map((await queries.lockParts(tx, first.consumerOrgId, ids)).map((part) => [part.id, part]))
}

interface Legality {
  now: string
  /** Undefined: the expiry stays. */
  newExpireTime?: string | undefined
  eachRfq?: EachRfq | undefined
}

/**
 * Throws 409 for a verb that the state or a guard of an RFQ does not allow, and for a missing subscription to a part.
 * The RFQs are of one consumer. Returns the locked parts by id.
 */
export async function requireLegal(
  tx: Tx,
  verb: ConsumerVerb,
  rfqs: readonly Rfq[],
  { now, newExpireTime, eachRfq = inTurn }: Legality,
): Promise<ReadonlyMap<string, queries.PartRow>> {
  const parts = await lockPartsFor(tx, verb, rfqs)
  let invitees: Promise<readonly Invitee[]> | undefined
  const findInvitees = () => {
    if (!RFQ.guards(verb).includes('inviteesQualify')) return []
    const ids = [...new Set(rfqs.flatMap(({ manufacturerIds }) => manufacturerIds))]
    invitees ??= queries.findInvitees(tx, rfqs[0]?.consumerOrgId ?? '', ids).then((rows) => [...rows])
    return invitees
  }
  await eachRfq(rfqs, async (rfq) => {
    const part = parts.get(rfq.partId)
    await requireGuards(RFQ, verb, stateAt(rfq, now), {
      guards: GUARDS,
      facts: async () => ({
        ...rfq,
        newExpireTime: newExpireTime ?? rfq.expireTime,
        invitees: await findInvitees(),
        isPartAvailable: part !== undefined,
        isPartInternal: part?.internal ?? false,
        now,
      }),
    })
    if (part) requireSubscription(part)
  })
  return parts
}
