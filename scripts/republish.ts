import { parseArgs } from 'node:util'
import { SERVICES, type ServiceName } from '../proto/services.ts'
import { markUnsent } from '../services/kit/bus/outbox/queries.ts'
import { requeueDeadLetters } from '../services/kit/bus/queries.ts'
import { connect } from '../services/kit/db/client.ts'

const USAGE = `Usage: bun scripts/republish.ts --since <time, such as 2026-04-29T09:10:00Z>
       bun scripts/republish.ts --dead-letters <service>/<consumer>

--since          marks the events since then as unsent: for a lost stream, or for a database that was restored on another
                 server. The relays of the running services publish them in order, and consumers skip the events that they
                 have processed. NATS drops duplicates of the last five minutes, so wait that long if the stream was purged
                 and not deleted.
--dead-letters   moves the dead letters of a consumer back to its queue, with new attempts.

Environment: DATABASE_URL, the owner's URL of the database.`

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const work = workOf(process.argv.slice(2))
const url = process.env.DATABASE_URL
if (!work || !url) {
  console.error(work ? "Set DATABASE_URL to the owner's URL of the database." : USAGE)
  process.exit(2)
}
await work(url)

function workOf(args: string[]): ((url: string) => Promise<void>) | undefined {
  const options = { since: { type: 'string' }, 'dead-letters': { type: 'string' } } as const
  try {
    const { since, 'dead-letters': deadLetters } = parseArgs({ args, options }).values
    if (since !== undefined && deadLetters === undefined && TIME.test(since) && !Number.isNaN(Date.parse(since))) {
      return (ownerUrl) => republish(ownerUrl, new Date(since).toISOString())
    }
    const [service, consumer] = since === undefined ? (deadLetters?.split('/') ?? []) : []
    const known = SERVICES.find((name) => name === service)
    return known && consumer ? (ownerUrl) => requeue(ownerUrl, known, consumer) : undefined
  } catch {
    return undefined
  }
}

async function republish(ownerUrl: string, since: string): Promise<void> {
  const sql = connect(ownerUrl, { max: 1, applicationName: 'marketplace-republish' })
  for (const service of SERVICES) {
    const { count } = await markUnsent(sql, service, since)
    console.log(`${service}: ${events(count)} will be published again`)
  }
  await sql.end({ timeout: 5 })
}

async function requeue(ownerUrl: string, service: ServiceName, consumer: string): Promise<void> {
  const sql = connect(ownerUrl, { max: 1, applicationName: 'marketplace-republish', searchPath: service })
  const { count } = await requeueDeadLetters(sql, consumer)
  console.log(`${service}/${consumer}: ${events(count)} will be processed again`)
  await sql.end({ timeout: 5 })
}

function events(count: number): string {
  return `${count} ${count === 1 ? 'event' : 'events'}`
}
