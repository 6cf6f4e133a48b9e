import { parseArgs } from 'node:util'
import { connect } from '../services/kit/db/client.ts'
import { SERVICES } from '../services/kit/migrate/files.ts'
import { unsend } from '../services/kit/outbox/queries.ts'

const USAGE = `republish --since <time, as 2026-04-29T09:10:00Z>

Announces again what happened since then: for a stream that was lost, or a database that was restored on another
server. The relays of the running services send the events in their order; consumers drop what they have seen.
Sent events can be announced again for seven days. Reads DATABASE_URL, the owner's address of the database.`

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const since = sinceOf(process.argv.slice(2))
const url = process.env.DATABASE_URL
if (since === undefined || !url) {
  console.error(since === undefined ? USAGE : 'republish needs DATABASE_URL (the owner of the database)')
  process.exit(2)
}
const sql = connect(url, { max: 1, applicationName: 'marketplace-republish' })
try {
  for (const service of SERVICES) {
    const { count } = await unsend(sql, service, since)
    console.log(`${service}: ${count} ${count === 1 ? 'event' : 'events'} to be sent again`)
  }
} finally {
  await sql.end({ timeout: 5 })
}

function sinceOf(args: string[]): string | undefined {
  try {
    const { since: time } = parseArgs({ args, options: { since: { type: 'string' } } }).values
    return time !== undefined && TIME.test(time) && !Number.isNaN(Date.parse(time))
      ? new Date(time).toISOString()
      : undefined
  } catch {
    return undefined
  }
}
