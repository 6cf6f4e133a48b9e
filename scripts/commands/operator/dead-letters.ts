import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { deleteDeadLetter, findDeadLetter, listDeadLetters } from '../../../services/kit/bus/consume/queries.ts'
import type { Pool } from '../../../services/kit/db/client.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { withDatabase } from './database.ts'
import { operatorEnvironment } from './environment.ts'

const MAX_LISTED = 100

/** One line for each dead letter: service and consumer, id, type, subject, time and error. */
export async function listAllDeadLetters(): Promise<void> {
  let listed = 0
  for (const service of SERVICES) {
    const letters = await withService(service, (sql) => listDeadLetters(sql, MAX_LISTED + 1))
    listed += letters.length
    for (const letter of letters.slice(0, MAX_LISTED)) {
      const { consumer, event_id, type, subject, given_up_at, error } = letter
      const what = type === null ? 'no event' : `${type} ${subject}`
      console.log(`${service}/${consumer} ${event_id} ${what} ${given_up_at} ${oneLine(error)}`)
    }
    if (letters.length > MAX_LISTED) console.log(`${service} has more dead letters.`)
  }
  if (listed === 0) console.log('There are no dead letters.')
}

/** A dead letter with its content. */
export async function showDeadLetter(place: string, eventId: string): Promise<void> {
  const { service, consumer } = placeOf(place)
  const [letter] = await withService(service, (sql) => findDeadLetter(sql, consumer, eventId))
  if (!letter) throw missing(place, eventId)
  const { envelope, error, tries, given_up_at } = letter
  console.log(`Given up at ${given_up_at} after ${tries} attempts: ${oneLine(error)}\n${envelope}`)
}

/** Deletes a dead letter, whose event is then never processed by the consumer. */
export async function discardDeadLetter(place: string, eventId: string): Promise<void> {
  const { service, consumer } = placeOf(place)
  const deleted = await withService(service, (sql) => deleteDeadLetter(sql, consumer, eventId))
  if (deleted.length === 0) throw missing(place, eventId)
  console.log(`${place} will not process ${eventId}.`)
}

function placeOf(place: string): { service: ServiceName; consumer: string } {
  const [name, consumer = ''] = place.split('/')
  const service = SERVICES.find((known) => known === name)
  if (!service || consumer === '')
    throw new CommandError(`${place} is not a service and a consumer, such as webhooks/ingest.`)
  return { service, consumer }
}

const missing = (place: string, eventId: string) => new CommandError(`${place} has no dead letter ${eventId}.`)

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

async function withService<T>(service: ServiceName, work: (sql: Pool) => PromiseLike<T>): Promise<T> {
  const { databaseUrlOf } = await operatorEnvironment()
  return withDatabase({ databaseUrl: databaseUrlOf(service), searchPath: service }, work)
}
