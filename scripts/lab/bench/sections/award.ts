import { roleOf } from '../../../../services/kit/db/roles.ts'
import {
  awardableNumber,
  awardableOffer,
  awardableRfq,
  loadAwardable,
} from '../../../../services/testing/load/awards.ts'
import { asOwner } from '../../../../services/testing/load/owner.ts'
import { compareRates, sideOf } from '../compare.ts'
import type { Section } from '../context.ts'
import { idOf, LARGE_TRADER, TRADED_PART } from '../database.ts'
import { answersPerSecond, bytesOf } from '../http.ts'
import { pgbenchScript, pgbenchSide, uniqueIds } from '../pgbench.ts'
import { signIn } from '../services.ts'
import { capture } from '../statements.ts'

/** More than a run awards. HTTP takes them from the last one on, and pgbench from the first one on. */
const AWARDABLE = 20_000

/** The award of an RFQ to one of two offers, against the statements of that transaction in pgbench. */
export const measureAward: Section = async function* (context) {
  const { database } = context
  const client = await signIn(context, 'sourcing', LARGE_TRADER)
  const terms = { consumerOrgId: LARGE_TRADER, partId: TRADED_PART, factoryId: idOf('factory', 1), count: AWARDABLE }
  const first = await asOwner(database.ownerUrl, async (owner) => {
    const number = await loadAwardable(owner, terms)
    await owner`drop sequence if exists sourcing.bench_awards`
    await owner.unsafe(`create sequence sourcing.bench_awards start ${number}`)
    await owner`grant usage on sequence sourcing.bench_awards to ${owner(roleOf('sourcing', database.rolePrefix))}`
    return number
  })
  let next = first + AWARDABLE
  const requestOf = (number: number) => ({
    path: `/flows/v1/rfqs/${awardableRfq(number)}/award`,
    body: { awards: [{ offerId: awardableOffer(number), quantity: 10 }] },
  })
  const award = async () => {
    next -= 1
    const { path, body } = requestOf(next)
    const { status, text } = await client.post(path, body)
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${text}`)
  }
  await award()
  const transaction = await capture(database, 'sourcing', /insert into sourcing\.orders\b/i, award)
  const captured = awardableNumber(next)
  const unique = uniqueIds()
  const { text, variables } = pgbenchScript(transaction, (variable, value) => {
    const expression = unique(variable, value)
    if (!value.includes(captured)) return expression
    const type = /^\{[^":]*\}$/.test(value) ? 'text[]' : 'text'
    return `replace(${expression}, '${captured}', lpad(:n::text, ${captured.length}, '0'))::${type}`
  })
  const script = { text: `select nextval('sourcing.bench_awards') as n \\gset\n${text}`, variables }
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
    references: [
      { name: 'its transaction in pgbench', side: pgbenchSide(database, 'sourcing', script, [8]), atLeast: 0.4 },
    ],
    pace: { rounds: 3, seconds: 1 },
  })
}
