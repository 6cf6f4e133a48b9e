import { count } from '../compare.ts'
import type { Section } from '../context.ts'
import { deliver, EXPECTED_PER_SECOND, startDeliveries } from '../deliveries.ts'
import { memoryOf } from './memory.ts'

const MANY_DELIVERIES = 1_000_000
const ROUNDS = 50

/** The memory that a million deliveries leave behind in one replica. */
export const measureWebhookGrowth: Section = async function* (context) {
  const { services, progress } = context
  const deliveries = await startDeliveries(context)
  const secondsOfRound = MANY_DELIVERIES / ROUNDS / EXPECTED_PER_SECOND
  await deliver(deliveries, secondsOfRound)
  const before = await memoryOf(services.webhooks.pid)
  for (let round = 1; round <= ROUNDS; round++) {
    await deliver(deliveries, secondsOfRound)
    progress(`Webhooks: ${count((MANY_DELIVERIES / ROUNDS) * round)} deliveries`)
  }
  const after = await memoryOf(services.webhooks.pid)
  yield {
    what: `growth of the memory by ${count(MANY_DELIVERIES)} deliveries`,
    ours: `private ${after.own.toFixed()} MB`,
    reference: `private ${before.own.toFixed()} MB`,
    result: after.own - before.own,
    unit: 'MB',
    wanted: { atMost: 15 },
  }
}
