import { Option } from 'commander'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { requeueDeadLetters } from '../../../services/kit/bus/consume/queries.ts'
import { natsOptionsOf } from '../../../services/kit/bus/nats/options.ts'
import { missingStreams } from '../../../services/kit/bus/nats/streams.ts'
import { markUnsent } from '../../../services/kit/bus/outbox/queries.ts'
import { secretIn } from '../../../services/kit/config/read.ts'
import { connect } from '../../../services/kit/db/client.ts'
import { withPasswordFile } from '../../../services/kit/db/password-file.ts'
import { webhooksOwnerUrl } from '../../../services/kit/migrate/variables.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { commandLine, runCommandLine } from '../../toolchain/command-line.ts'

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const program = commandLine('./scripts/republish', 'Publishes or processes events again.')
  .addOption(
    new Option(
      '--since <time>',
      'marks the events since then (2026-04-29T09:10:00Z) as unsent: for a lost stream, or for a database that was restored on another server. Create lost streams with ./scripts/migrate before. The relays of the running services publish them in order, and consumers skip the events that they have processed. NATS drops duplicates of the last five minutes, so wait that long if the stream was purged and not deleted.',
    ).conflicts('deadLetters'),
  )
  .option(
    '--dead-letters <service/consumer>',
    'moves the dead letters of a consumer back to its queue, with new attempts',
  )
  .addHelpText(
    'after',
    "\nEnvironment: DATABASE_URL, the owner's URL of the database; WEBHOOKS_OWNER_DATABASE_URL, that of webhooks, if they have their own; NATS_URL, to check that the streams exist.",
  )
  .action(run)

async function run({ since, deadLetters }: { since?: string; deadLetters?: string }): Promise<void> {
  const [service, consumer] = deadLetters?.split('/') ?? []
  const known = SERVICES.find((name) => name === service)
  const { DATABASE_URL, DATABASE_PASSWORD_FILE } = process.env
  const url = DATABASE_URL ? withPasswordFile(DATABASE_URL, DATABASE_PASSWORD_FILE || undefined) : ''
  const webhooksUrl = webhooksOwnerUrl(process.env) ?? url
  const urlOf = (name: ServiceName) => (name === 'webhooks' ? webhooksUrl : url)
  if (url === '') program.error("error: set DATABASE_URL to the owner's URL of the database")
  else if (since !== undefined && TIME.test(since) && !Number.isNaN(Date.parse(since))) {
    await republish(urlOf, new Date(since).toISOString())
  } else if (since !== undefined) {
    program.error(`error: --since ${since} is not a time with an offset, such as 2026-04-29T09:10:00Z`)
  } else if (known && consumer) await requeue(urlOf(known), known, consumer)
  else program.error('error: name --since, or --dead-letters with a service and a consumer')
}

/** Events that are published while their stream is missing wait in the outboxes, so the streams come first. */
async function requireStreams(): Promise<void> {
  const address = natsOptionsOf({ ...process.env, NATS_URL: secretIn(process.env, 'NATS_URL') })
  if (address === undefined) return
  const missing = await missingStreams(address)
  if (missing.length === 0) return
  throw new CommandError(
    `NATS does not have ${missing.join(' and ')}: create the streams with ./scripts/migrate first.`,
  )
}

async function republish(ownerUrlOf: (service: ServiceName) => string, since: string): Promise<void> {
  await requireStreams()
  for (const service of SERVICES) {
    const sql = connect(ownerUrlOf(service), { max: 1, applicationName: 'marketplace-republish' })
    const { count } = await markUnsent(sql, service, since).finally(() => sql.end({ timeout: 5 }))
    console.log(`${service}: ${events(count)} will be published again`)
  }
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

await runCommandLine(program)
