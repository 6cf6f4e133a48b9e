import type { AssignmentEvent, CaseEvent } from '../../../proto/events/events.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import type { Account } from '../dev/account.ts'
import { clientOf } from '../dev/client.ts'
import { createTemporaryEndpoint, deleteEndpoint } from '../dev/temporary-endpoint.ts'
import { listenForWebhooks, type Receipt } from '../operator/webhook-listener.ts'
import type { AwaitEvents } from './narrator.ts'

const DESCRIPTION = './scripts/demo'
const LONGEST_WAIT_MS = 15_000

interface EventFeed {
  endpointId: string
  awaitEvents: AwaitEvents
  end: () => Promise<void>
}

/**
 * Receives the events of an organization through an endpoint of its own, and prints each one in a line when it is
 * awaited, so that it follows the line of its step. Events of records that are older than the endpoint are not of this
 * trade.
 */
export async function receiveEvents(account: Account, print: (line: string) => void): Promise<EventFeed> {
  const received: Receipt[] = []
  let wake = () => {}
  const secret = Promise.withResolvers<string>()
  const server = listenForWebhooks({
    port: 0,
    secret: secret.promise,
    forwardTo: undefined,
    report(receipt) {
      received.push(receipt)
      wake()
    },
  })
  const client = clientOf(account)
  const endpoint = await createTemporaryEndpoint(client, {
    url: `http://127.0.0.1:${server.port}/`,
    events: ['cases.*', 'assignments.*'],
    description: DESCRIPTION,
  }).catch(async (error) => {
    await server.stop(true)
    throw error
  })
  secret.resolve(endpoint.secret)
  return {
    endpointId: endpoint.id,
    async awaitEvents(count) {
      const deadline = performance.now() + LONGEST_WAIT_MS
      for (let printed = 0; printed < count; ) {
        const receipt = received.shift()
        if (receipt) {
          const data = dataOf(receipt)
          if (timeOf(recordOf(data)) < timeOf(endpoint.id)) continue
          print(`        ← ${lineOf(receipt, data)}`)
          printed++
          continue
        }
        const leftMs = deadline - performance.now()
        if (leftMs <= 0) throw new CommandError(`Of ${count} events, ${printed} have arrived.`)
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await Promise.race([promise, Bun.sleep(leftMs)])
      }
    },
    async end() {
      await server.stop(true)
      await deleteEndpoint(client, endpoint.id)
    },
  }
}

/** The type, what it is about, what led to it, and whether the signature was verified. */
function lineOf({ type, attempt, verification }: Receipt, data: EventData): string {
  const cause = 'cause' in data && data.cause ? `(${data.cause.event})` : ''
  const again = attempt === '1' ? '' : `attempt ${attempt}`
  return [type, subjectOf(data), cause, again, verification].filter((word) => word !== '').join('  ')
}

type EventData = Partial<(CaseEvent | AssignmentEvent)['data']>

const dataOf = ({ body }: Receipt) => (JSON.parse(body) as { data: EventData }).data

const recordOf = (data: EventData) =>
  ('case' in data && data.case?.id) || ('assignment' in data && data.assignment?.id) || ''

/** The part of an id that counts time: the first ten characters of its ULID. */
const timeOf = (id: string) => id.slice(-26, -16)

function subjectOf(data: EventData): string {
  if ('case' in data && data.case) return `${data.case.title} is ${data.case.state}`
  if ('assignment' in data && data.assignment) return `${data.assignment.id} is ${data.assignment.status}`
  return ''
}
