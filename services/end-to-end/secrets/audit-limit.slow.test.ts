import { expect, setDefaultTimeout, test } from 'bun:test'
import type { ApiAnswer } from '../../testing/client.ts'
import { FIXTURE_SETTINGS, Fixtures } from '../../testing/fixtures.ts'
import { AuditLogReader } from '../../testing/leaks/entries.ts'
import { testMarketplace } from '../../testing/marketplace.ts'
import { DOCUMENTED, type Documented } from '../../testing/operations/document.ts'
import { type Input, targetOf } from '../../testing/operations/inputs.ts'
import { sampleOf, sharedInput } from '../../testing/operations/samples.ts'

/** A low rate limit, so that every command exceeds it after the burst, which preparing the commands stays below. */
setDefaultTimeout(30_000)
const BURST = 200
const limits = { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) }
const fixtures = new Fixtures(
  await testMarketplace({ ...FIXTURE_SETTINGS, ...limits }, undefined, { hasWorkers: false }),
)
const log = new AuditLogReader(fixtures.market.db.owner)
const commands = DOCUMENTED.filter(({ contract }) => contract.audit)
const TRIES = 10
const BATCH = 5
/** Enough to empty a full bucket. */
const MAX_BATCHES = (2 * BURST) / BATCH

const isAtLimit = ({ status, headers }: ApiAnswer<unknown>) =>
  status === 429 || /;r=0;/.test(headers.get('ratelimit') ?? '')

/** Empties the bucket, which is mostly empty already, because an organization has one in each service. */
async function reachLimit(sendIneffective: () => Promise<ApiAnswer<unknown>>): Promise<void> {
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const answers = await Promise.all(Array.from({ length: BATCH }, sendIneffective))
    if (answers.some(isAtLimit)) return
  }
}

async function prepare(operation: Documented) {
  const administrator = await fixtures.account(sampleOf(operation).by ?? 'owner', 'administrator')
  const client =
    operation.contract.access === 'public' ? fixtures.market.anonymous : await fixtures.clientOf(administrator)
  return [operation.id, { operation, client, input: await sharedInput(operation, fixtures, administrator) }] as const
}

const cases = []
for (const operation of commands) cases.push(await prepare(operation))

test.each(cases)('%s over the rate limit is 429 and writes no audit entry', async (_, { operation, client, input }) => {
  const address = fixtures.address()
  const send = (sent: Input) =>
    client.send(operation.method, targetOf(operation, sent), {
      headers: { ...sent.headers, 'x-forwarded-for': address },
      body: sent.body,
    })
  // Requests without effect that the same service counts against the limit.
  const params = Object.fromEntries(Object.keys(input.params).map((name) => [name, 'nothing']))
  const ineffective = { ...input, params, body: input.body === undefined ? undefined : '{' }
  for (let tries = 0; tries < TRIES; tries++) {
    await reachLimit(() => send(ineffective))
    const { result, entries } = await log.during(() => send(input))
    // The bucket refills by one per second, so a command can still be accepted.
    if (result.status !== 429) continue
    expect(result.headers.get('retry-after')).not.toBeNull()
    expect(entries).toEqual([])
    return
  }
  throw new Error(`${operation.id}: the limit was not reached`)
})
