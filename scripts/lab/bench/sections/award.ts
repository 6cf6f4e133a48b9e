import { succeeded } from '../../../../services/testing/client.ts'
import { awardableOffer, awardableRfq, loadAwardable } from '../../../../services/testing/load/awards.ts'
import { asOwner } from '../../../../services/testing/load/owner.ts'
import { compareRates, sideOf } from '../compare.ts'
import type { Section } from '../context.ts'
import { idOf, LARGE_TRADER, TRADED_PART } from '../database.ts'
import { answersPerSecond, bytesOf } from '../http.ts'
import { createLeastTables, leastTransaction } from '../least.ts'
import { pgbenchSide } from '../pgbench.ts'
import { signIn } from '../services.ts'

/** The RFQ, two offers, the order and its assignment. */
const LEAST = leastTransaction({ records: 5, events: 5 })
/** More than a run awards. */
const AWARDABLE = 20_000

/** The award of an RFQ to one of two offers, against the least transaction in pgbench. */
export const measureAward: Section = async function* (context) {
  const { database } = context
  const client = await signIn(context, 'sourcing', LARGE_TRADER)
  const terms = { consumerOrgId: LARGE_TRADER, partId: TRADED_PART, factoryId: idOf('factory', 1), count: AWARDABLE }
  const first = await asOwner(database.ownerUrl, (owner) => loadAwardable(owner, terms))
  let next = first + AWARDABLE
  const requestOf = (number: number) => ({
    path: `/flows/v1/rfqs/${awardableRfq(number)}/award`,
    body: { awards: [{ offerId: awardableOffer(number), quantity: 10 }] },
  })
  const award = async () => {
    next -= 1
    const { path, body } = requestOf(next)
    await succeeded(client.post(path, body))
  }
  await award()
  await createLeastTables(database)
  const ours = sideOf('connections', [16], (connections) => (seconds) => {
    const clients = Array.from({ length: connections }, () => ({
      next: () => {
        next -= 1
        const { path, body } = requestOf(next)
        return bytesOf({ method: 'POST', path, body: JSON.stringify(body), token: client.accessToken })
      },
    }))
    return answersPerSecond(Number(new URL(client.url).port), seconds, clients)
  })
  yield* compareRates({
    what: 'POST /flows/v1/rfqs/{id}/award',
    ours,
    references: [{ name: 'the least transaction', side: pgbenchSide(database, 'sourcing', LEAST, [8]), atLeast: 0.4 }],
    pace: { rounds: 3, seconds: 1 },
  })
}
