import { parseArgs } from 'node:util'
import { SERVICES, type ServiceName } from '../proto/services.ts'
import { unsend } from '../services/kit/bus/outbox/queries.ts'
import { requeueDeadLetters } from '../services/kit/bus/queries.ts'
import { connect } from '../services/kit/db/client.ts'

const USAGE = `republish --since <time, as 2026-04-29T09:10:00Z>
republish --dead-letters <service>/<consumer>

--since announces again what happened since then: for a stream that was lost, or a database that was restored on
another server. The relays of the running services send the events in their order; consumers drop what they have seen.
A broker drops copies of the last five minutes itself, so wait that long if the stream was emptied and not removed.
--dead-letters gives what a consumer gave up another round of tries.

Reads DATABASE_URL, the owner's address of the database.`

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const work = workOf(process.argv.slice(2))
const url = process.env.DATABASE_URL
if (!work || !url) {
  console.error(work ? 'republish needs DATABASE_URL (the owner of the database)' : USAGE)
  process.exit(2)
}
await work(url)

function workOf(args: string[]): ((url: string) => Promise<void>) | undefined {
  const options = { since: { type: 'string' }, 'dead-letters': { type: 'string' } } as const
  try {
    const { since, 'dead-letters': reader } = parseArgs({ args, options }).values
    if (since !== undefined && reader === undefined && TIME.test(since) && !Number.isNaN(Date.parse(since))) {
      return (address) => sendAgain(address, new Date(since).toISOString())
    }
    const [service, consumer] = since === undefined ? (reader?.split('/') ?? []) : []
    const known = SERVICES.find((name) => name === service)
    return known && consumer ? (address) => tryAgain(address, known, consumer) : undefined
  } catch {
    return undefined
  }
}

async function sendAgain(address: string, since: string): Promise<void> {
  const sql = connect(address, { max: 1, applicationName: 'marketplace-republish' })
  try {
    for (const service of SERVICES) {
      const { count } = await unsend(sql, service, since)
      console.log(`${service}: ${events(count)} to be sent again`)
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function tryAgain(address: string, service: ServiceName, consumer: string): Promise<void> {
  const sql = connect(address, { max: 1, applicationName: 'marketplace-republish', searchPath: service })
  try {
    const { count } = await requeueDeadLetters(sql, consumer)
    console.log(`${service}/${consumer}: ${events(count)} to be tried again`)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function events(count: number): string {
  return `${count} ${count === 1 ? 'event' : 'events'}`
}
